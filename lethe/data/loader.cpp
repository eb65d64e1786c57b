#include "lethe/data/loader.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/text.h"

namespace lethe {

namespace {

void require(const LoaderOptions& options) {
  if (options.batch <= 0) throw_error<ConfigError>("batch = {}: must be > 0", options.batch);
  if (options.threads < 0) {
    throw_error<ConfigError>("data.threads = {}: must be >= 0", options.threads);
  }
  if (options.prefetch <= 0) {
    throw_error<ConfigError>("prefetch = {}: must be > 0", options.prefetch);
  }
  if (options.first_batch < 0) {
    throw_error<ConfigError>("first_batch = {}: must be >= 0", options.first_batch);
  }
}

// Makes any batch of the pass. Read-only, so that all threads can use it.
class BatchMaker {
 public:
  BatchMaker(DatasetPtr dataset, std::vector<int64_t> order, LabelMap labels, Transform transform,
             const LoaderOptions& options)
      : dataset_(std::move(dataset)),
        order_(std::move(order)),
        labels_(std::move(labels)),
        transform_(std::move(transform)),
        options_(options) {
    for (const int64_t sample : order_) {
      if (sample < 0 || sample >= dataset_->size()) {
        throw_error<Error>("loader: sample {}: expected a number from 0 to {}", sample,
                           dataset_->size() - 1);
      }
    }
    if (has_masks() && labels_.size() != 256) {
      throw_error<Error>("loader: a label map for masks needs 256 entries, found {}",
                         labels_.size());
    }
  }

  int64_t count() const {
    return num_batches(static_cast<int64_t>(order_.size()), options_.batch, options_.drop_last);
  }

  Batch make(int64_t number) const {
    const auto& info = dataset_->info();
    const int64_t first = number * options_.batch;
    const int64_t size = std::min(options_.batch, static_cast<int64_t>(order_.size()) - first);
    Batch batch;
    batch.images = at::empty({size, info.channels, info.height, info.width}, at::kFloat);
    batch.labels = has_masks() ? at::empty({size, info.height, info.width}, at::kLong)
                               : at::empty({size}, at::kLong);
    uint8_t* saliency = nullptr;
    if (info.has_saliency) {
      batch.saliency = at::empty({size, info.height, info.width}, at::kByte);
      saliency = batch.saliency.data_ptr<uint8_t>();
    }
    auto* image = batch.images.data_ptr<float>();
    auto* label = batch.labels.data_ptr<int64_t>();
    for (int64_t i = first; i < first + size; ++i) {
      const int64_t sample = order_[static_cast<size_t>(i)];
      write(sample, image, label, saliency);
      if (saliency != nullptr) saliency += info.height * info.width;
      image += info.channels * info.height * info.width;
      label += has_masks() ? info.height * info.width : 1;
    }
    return batch;
  }

 private:
  bool has_masks() const { return dataset_->info().problem == Problem::kMasks; }

  void write(int64_t number, float* image, int64_t* label, uint8_t* saliency) const {
    const Sample sample = dataset_->get(number);
    Random random(options_.seed, Purpose::kAugment, options_.epoch, static_cast<uint32_t>(number));
    if (!has_masks()) {
      transform_.apply(sample, &random, image);
      *label = translate(sample.label, number);
      return;
    }
    if (!sample.mask.defined()) throw_error<Error>("loader: sample {} has no mask", number);
    transform_.apply(sample, &random, image, label, saliency);
    const int64_t pixels = dataset_->info().height * dataset_->info().width;
    for (int64_t i = 0; i < pixels; ++i) label[i] = labels_[static_cast<size_t>(label[i])];
  }

  int64_t translate(int64_t label, int64_t number) const {
    if (label < 0 || label >= static_cast<int64_t>(labels_.size())) {
      throw_error<Error>("loader: label {} of sample {} has no entry in a label map of {}", label,
                         number, labels_.size());
    }
    return labels_[static_cast<size_t>(label)];
  }

  DatasetPtr dataset_;
  std::vector<int64_t> order_;
  LabelMap labels_;
  Transform transform_;
  LoaderOptions options_;
};

}  // namespace

int64_t num_batches(int64_t samples, int64_t batch, bool drop_last) {
  const int64_t full = samples / batch;
  const bool keep_rest = !drop_last || full == 0;
  return full + (keep_rest && samples % batch > 0 ? 1 : 0);
}

std::vector<int64_t> shuffled(std::vector<int64_t> samples, uint64_t seed, uint32_t epoch) {
  Random random(seed, Purpose::kShuffle, epoch);
  const auto places = random.permutation(static_cast<int64_t>(samples.size()));
  std::vector<int64_t> result;
  result.reserve(samples.size());
  for (const int64_t place : places) result.push_back(samples[static_cast<size_t>(place)]);
  return result;
}

// Threads claim batch numbers in order, make the batches without a lock, and put them into `ready`.
// A number may be claimed only if it is less than `prefetch` ahead of the next batch to return, so
// at most that many batches are ready or in progress.
struct Loader::Impl {
  Impl(BatchMaker batch_maker, const LoaderOptions& options)
      : maker(std::move(batch_maker)),
        end(maker.count()),
        prefetch(options.prefetch),
        claimed(options.first_batch),
        handed(options.first_batch) {
    if (options.first_batch > end) {
      throw_error<ConfigError>("first_batch = {}: the pass has only {}", options.first_batch,
                               counted(end, "batch", "batches"));
    }
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    may_claim.notify_all();
    for (auto& thread : threads) thread.join();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Not in the constructor: if a thread cannot be started, the destructor must still join the
  // others.
  void start(int64_t count) {
    for (int64_t i = 0; i < std::min(count, end - handed); ++i) {
      threads.emplace_back([this] { work(); });
    }
  }

  void work() {
    for (;;) {
      std::unique_lock lock(mutex);
      may_claim.wait(lock,
                     [this] { return stop || claimed == end || claimed < handed + prefetch; });
      if (stop || claimed == end) return;
      const int64_t number = claimed++;
      lock.unlock();

      Made made;
      try {
        made.batch = maker.make(number);
      } catch (...) {
        made.error = std::current_exception();
      }

      lock.lock();
      ready.emplace(number, std::move(made));
      lock.unlock();
      is_ready.notify_one();
    }
  }

  std::optional<Batch> next() {
    if (handed == end) return std::nullopt;
    if (threads.empty()) {
      auto batch = maker.make(handed);
      ++handed;
      return batch;
    }
    std::unique_lock lock(mutex);
    is_ready.wait(lock, [this] { return ready.contains(handed); });
    // A failed batch stays in `ready`, so that the next call fails again.
    if (const auto error = ready.at(handed).error) std::rethrow_exception(error);
    Batch batch = std::move(ready.extract(handed).mapped().batch);
    ++handed;
    lock.unlock();
    may_claim.notify_all();
    return batch;
  }

  struct Made {
    Batch batch;
    std::exception_ptr error;
  };

  const BatchMaker maker;
  const int64_t end;  // number of batches in the whole pass
  const int64_t prefetch;

  std::mutex mutex;  // guards all members down to threads
  std::condition_variable may_claim;
  std::condition_variable is_ready;
  int64_t claimed;  // the next batch that no thread has started
  int64_t handed;   // the next batch to return; written only by the thread that calls next()
  std::map<int64_t, Made> ready;
  bool stop = false;

  std::vector<std::thread> threads;
};

Loader::Loader(DatasetPtr dataset, std::vector<int64_t> order, LabelMap labels, Transform transform,
               const LoaderOptions& options) {
  require(options);
  impl_ = std::make_unique<Impl>(BatchMaker(std::move(dataset), std::move(order), std::move(labels),
                                            std::move(transform), options),
                                 options);
  impl_->start(options.threads);
}

Loader::~Loader() = default;

std::optional<Batch> Loader::next() { return impl_->next(); }

int64_t Loader::num_batches() const { return impl_->end; }

}  // namespace lethe
