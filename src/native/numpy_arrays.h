// Arrays across the border to Python without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

namespace malloom::native {

template <class T>
using OwnedArray = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

template <class T>
using ArrayView = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// A NumPy array that takes over the vector.
template <class T>
OwnedArray<T> to_numpy(std::vector<T>&& column) {
    auto* kept = new std::vector<T>(std::move(column));
    nanobind::capsule owner(kept, [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
    return OwnedArray<T>(kept->data(), {kept->size()}, owner);
}

/// Calls `compute` while other threads of Python run. What it refers to must be kept alive by the caller's
/// arguments.
template <class Compute>
auto unlocked(Compute&& compute) {
    const nanobind::gil_scoped_release released;
    return compute();
}

template <class T>
std::span<const T> to_span(const ArrayView<T>& array) {
    return {array.data(), array.shape(0)};
}

}  // namespace malloom::native
