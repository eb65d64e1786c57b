#include "lethe/method/step.h"

#include "lethe/core/error.h"
#include "lethe/model/autocast.h"
#include "lethe/model/conv_norm.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

// Sets the mode of the network for a pass, and training mode afterwards.
class PassMode {
 public:
  PassMode(Network& network, Statistics statistics) : network_(network), statistics_(statistics) {
    if (statistics_ == Statistics::kRunning) network_.eval();
    if (statistics_ == Statistics::kBatchNoUpdate) set_updates(false);
  }
  ~PassMode() {
    if (statistics_ == Statistics::kRunning) network_.train();
    if (statistics_ == Statistics::kBatchNoUpdate) set_updates(true);
  }
  PassMode(const PassMode&) = delete;
  PassMode& operator=(const PassMode&) = delete;

 private:
  void set_updates(bool on) {
    for (const auto& norm : batch_norms(network_)) norm->set_updates(on);
  }

  Network& network_;
  Statistics statistics_;
};

}  // namespace

Step::Step(const Task& task, const Batch& batch, Network& student, Network* old, Stopwatch& watch,
           const StepAddress& address, bool mixed_precision)
    : task_(task),
      batch_(batch),
      student_(student),
      old_(old),
      watch_(watch),
      address_(address),
      mixed_precision_(mixed_precision) {}

const std::vector<Head>& Step::old_heads() const {
  static const std::vector<Head> none;
  return old_ == nullptr ? none : old_->heads();
}

const Head& Step::current_head() const {
  if (!task_.learns()) throw Error("a task without new classes has no current head");
  return heads().back();
}

const ModelOutput* Step::find(const std::vector<std::unique_ptr<Pass>>& passes,
                              const at::Tensor& input) {
  for (const auto& pass : passes) {
    if (pass->input.is_same(input)) return &pass->output;
  }
  return nullptr;
}

PassCounts& PassCounts::operator+=(const PassCounts& other) {
  student += other.student;
  old += other.old;
  student_inputs += other.student_inputs;
  old_inputs += other.old_inputs;
  return *this;
}

PassCounts Step::passes() const {
  PassCounts counts{.student = student_passes(), .old = old_passes()};
  for (const auto& pass : student_passes_) counts.student_inputs += pass->input.size(0);
  for (const auto& pass : old_passes_) counts.old_inputs += pass->input.size(0);
  return counts;
}

const ModelOutput& Step::student(const at::Tensor& input, Statistics statistics) {
  if (const auto* known = find(student_passes_, input)) return *known;
  const auto time = watch_.time("student");
  const PassMode mode(student_, statistics);
  const Autocast precision(mixed_precision_);
  student_passes_.push_back(std::make_unique<Pass>(Pass{input, student_.forward(input)}));
  return student_passes_.back()->output;
}

const ModelOutput& Step::old(const at::Tensor& input) {
  if (const auto* known = find(old_passes_, input)) return *known;
  if (old_ == nullptr) throw Error("the first task has no old model");
  const auto time = watch_.time("old model");
  const at::NoGradGuard no_grad;
  const Autocast precision(mixed_precision_);
  old_passes_.push_back(std::make_unique<Pass>(Pass{input, old_->forward(input)}));
  return old_passes_.back()->output;
}

at::Tensor Step::old_logits_of(const at::Tensor& features) {
  if (old_ == nullptr) throw Error("the first task has no old model");
  const at::NoGradGuard no_grad;
  return old_->logits_of(features);
}

}  // namespace lethe
