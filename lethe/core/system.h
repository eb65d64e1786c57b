// What the program learns of the machine, and what it sets once at its start.
#pragma once

#include <string>

namespace lethe {

// Cores that this process may use, hyper-threads and a container's quota taken into account. At
// least 1.
int physical_cores();

// Sets LibTorch's threads (0 = physical_cores()), flushes denormals and asks for deterministic
// kernels. Call once, before the first parallel work. Returns the number of threads.
int set_up_threads(int threads);

// The file that serves matrix products, e.g. ".../openblas-openmp/libblas.so.3"; empty if it cannot
// be told.
std::string blas_library();

// Debian's reference BLAS: right, and an order of magnitude slower.
bool is_reference_blas(const std::string& library);

std::string cpu_name();

// The most main memory that the process held since its start or the last reset; 0 if it cannot be
// told. The reset has no effect where the kernel does not offer it.
double peak_memory_gib();
void reset_peak_memory();

// "0.1.0", the commit of the sources, and the LibTorch that was compiled against.
std::string version();
std::string commit();
std::string torch_version();
std::string compiler_version();

}  // namespace lethe
