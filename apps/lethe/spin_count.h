// Makes the OpenMP threads of LibTorch and OpenBLAS sleep soon when they have nothing to do.
//
// Between two parallel regions libgomp's threads spin, by default for about 3 ms, before they
// sleep. On a quiet machine nobody notices. But if another process runs on one of the cores, even
// at low priority, a thread that spins takes the time that its partner needs, and training falls to
// a hundredth of its speed. With GOMP_SPINCOUNT=2000 it keeps a quarter to a half, and loses almost
// nothing on a quiet machine (`lethe bench busy`, docs/results/busy.md). Results are bit-identical
// for every spin count.
#pragma once

namespace lethe::app {

// Call first in main. The user's own GOMP_SPINCOUNT or OMP_WAIT_POLICY has precedence.
void ensure_spin_count(char** argv);

}  // namespace lethe::app
