// The recipes of the contrastive method: the contrastive part together with the parts for L_ce and
// L_dis (specification 5.14.3, 5.14.4).
#pragma once

#include "lethe/method/part_recipe.h"

namespace lethe {

MethodRecipe contrastive_for_images();
MethodRecipe contrastive_for_masks();

}  // namespace lethe
