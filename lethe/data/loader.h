// A Loader makes the batches of one pass over some samples, ahead of time and on threads of its
// own, and hands them out in order. What is in a batch depends on the arguments only, never on the
// number of threads.
//
//   Loader loader(train, order, labels, transform, {.batch = 64, .threads = 1, .seed = 0, .epoch =
//   3}); while (auto batch = loader.next()) ...
//
// next() is for one thread. Destroying a Loader early is fine: its threads stop after the batch at
// hand.
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
  int64_t batch = 64;  // images, > 0
  int threads = 1;     // 0 = work in next() itself
  int prefetch = 4;    // batches ready at most, > 0
  bool drop_last =
      false;  // leave out a last batch that is not full (a pass smaller than one batch is kept)
  int64_t first_batch = 0;  // start here: a resumed epoch
  uint64_t seed = 0;        // augmentation draws from (seed, epoch, sample)
  uint32_t epoch = 0;
};

// How many batches a pass over n samples has.
int64_t num_batches(int64_t samples, int64_t batch, bool drop_last);

// The order of a training pass: the given samples shuffled, addressed by (seed, epoch).
std::vector<int64_t> shuffled(std::vector<int64_t> samples, uint64_t seed, uint32_t epoch);

class Loader {
 public:
  // order: sample numbers of dataset, in the order of the pass. labels translates the data set's
  // labels. Throws ConfigError if an option leaves its range.
  Loader(DatasetPtr dataset, std::vector<int64_t> order, LabelMap labels, Transform transform,
         const LoaderOptions& options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The next batch, or nothing at the end. An exception of a loading thread comes out here.
  std::optional<Batch> next();

  int64_t num_batches() const;  // of the whole pass, whatever first_batch is

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
