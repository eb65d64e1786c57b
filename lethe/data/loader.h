// A Loader prefetches the batches of one pass on its own threads and returns them in order. The
// contents of a batch do not depend on the number of threads or on timing.
//
//   Loader loader(train, order, labels, transform, {.batch = 64, .threads = 1, .epoch = 3});
//   while (auto batch = loader.next()) ...
//
// Call next() from one thread only. A Loader may be destroyed early; its threads stop after the
// current batch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lethe/data/batch.h"
#include "lethe/data/dataset.h"
#include "lethe/data/transform.h"

namespace lethe {

struct LoaderOptions {
  int64_t batch = 64;       // images, > 0
  int threads = 1;          // 0 = load synchronously in next()
  int prefetch = 4;         // maximum number of batches to load ahead, > 0
  bool drop_last = false;   // drop an incomplete last batch, unless it is the only one
  int64_t first_batch = 0;  // index of the first batch, to resume an epoch
  uint64_t seed = 0;        // the augmentation is keyed by (seed, epoch, sample)
  uint32_t epoch = 0;
};

// The number of batches in a pass over `samples` samples.
int64_t num_batches(int64_t samples, int64_t batch, bool drop_last);

// The order of a training pass: the samples, shuffled by (seed, epoch).
std::vector<int64_t> shuffled(std::vector<int64_t> samples, uint64_t seed, uint32_t epoch);

class Loader {
 public:
  // order: indices into dataset, in the order of the pass. labels maps dataset labels to classes.
  // Throws ConfigError if an option is out of range.
  Loader(DatasetPtr dataset, std::vector<int64_t> order, LabelMap labels, Transform transform,
         const LoaderOptions& options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The next batch, or std::nullopt at the end. Rethrows exceptions from the loader threads.
  std::optional<Batch> next();

  int64_t num_batches() const;  // in the whole pass, regardless of first_batch

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
