// Facts about the machine and the build, and settings that are made once, at program start.
#pragma once

#include <string>

namespace lethe {

// Physical cores that this process may use, given its affinity and its control group (cores.h). At
// least 1.
int physical_cores();

// Sets the number of LibTorch threads (0 = physical_cores()), flushes denormals and selects
// deterministic kernels. Call once, before the first parallel work. Returns the number of threads.
int set_up_threads(int threads);

// The library that computes matrix products, e.g. ".../openblas-openmp/libblas.so.3"; empty if
// unknown.
std::string blas_library();

// Whether the library is Debian's reference BLAS, which is correct but an order of magnitude slower
// than others.
bool is_reference_blas(const std::string& library);

std::string cpu_name();

// Peak main memory of the process since its start or the last reset; 0 if unknown. The reset has no
// effect if the kernel does not support it.
double peak_memory_gib();
void reset_peak_memory();

// The version of lethe ("0.1.0"), the commit of its sources, and the versions of LibTorch and of
// the compiler that it was built with.
std::string version();
std::string commit();
std::string torch_version();
std::string compiler_version();

}  // namespace lethe
