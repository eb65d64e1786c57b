// For tests of methods: a classification stream of two tasks with two classes each and 16x16 colour
// images. 'a' is forgotten before the second task, 'c' after it.
#pragma once

#include "tests/support/fake_network.h"
#include "tests/support/fake_tasks.h"

namespace lethe::test {

class FakeStream : public FakeTasks<LinearNetwork> {
 protected:
  static DatasetInfo make_info() {
    DatasetInfo info;
    info.name = "toy";
    info.class_names = {"a", "b", "c", "d"};
    info.channels = 3;
    info.height = info.width = 16;
    info.mean = {0.5, 0.5, 0.5};
    info.std = {0.25, 0.25, 0.25};
    return info;
  }
  static StreamOptions make_stream() {
    StreamOptions options;
    options.task_sizes = {2, 2};
    options.requests = {{.classes = {"a"}, .before_task = 2}, {.classes = {"c"}, .before_task = 3}};
    return options;
  }

  FakeStream() : FakeTasks(make_info(), make_stream()) {
    network_ = std::make_shared<LinearNetwork>(3 * 16 * 16, 8);
    network_->add_classes(2, 0);
  }

  Batch batch_of(const std::vector<int64_t>& labels) const {
    const auto count = static_cast<int64_t>(labels.size());
    return {.images = torch::randn({count, 3, 16, 16}), .labels = torch::tensor(labels)};
  }
  std::unique_ptr<Method> make(const std::string& name) {
    const auto& recipe = MethodRegistry::builtin().find(name).recipe(Problem::kImages);
    recipe.resolve(groups_, info_);
    return recipe.make(groups_);
  }
};

}  // namespace lethe::test
