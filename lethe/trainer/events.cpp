#include "lethe/trainer/events.h"

#include <nlohmann/json.hpp>

namespace lethe {

nlohmann::json Listener::save() { return nlohmann::json::object(); }

}  // namespace lethe
