// Datasets that are combined with others: the same samples with the label numbers of another class
// list, and several datasets as one. Both decode nothing themselves; samples are read on demand.
#pragma once

#include <string>
#include <vector>

#include "lethe/data/dataset.h"

namespace lethe {

// The same dataset with the label numbers of class_names. Classes are matched by name, exactly.
// Images: samples of classes that are not in class_names are left out. Masks: label 0 stays
// background, whatever its name; pixels of classes that are not in class_names become void (255),
// and no sample is left out. Returns the dataset itself if it has these class names already, and
// null for null. Throws DataError if a name is empty or occurs twice, Error if masks cannot have
// that many classes.
DatasetPtr relabelled(DatasetPtr dataset, const std::vector<std::string>& class_names);

// Images only: the samples of classes that are not in class_names, all with label 0 of class_names.
// Null if there are none.
DatasetPtr unlisted(const DatasetPtr& dataset, const std::vector<std::string>& class_names);

// Images only: the same samples with other labels, one per sample.
DatasetPtr with_labels(DatasetPtr dataset, std::vector<int64_t> labels);

// The datasets one after the other. Null entries are skipped; null if nothing is left. The info is
// that of the first, except that has_saliency is true only if all of them have saliency maps.
// Throws Error if they differ in problem, channels, height, width or class names.
DatasetPtr joined(std::vector<DatasetPtr> datasets);

}  // namespace lethe
