#include "compiler/policy/costs.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace malloom::compiler {

namespace {

constexpr uint64_t line_bytes = 64;
/// What it costs to come to a further part of an object: to find the object's number and the place in an
/// array of other elements, or to follow one more stream of lines. A few instructions, of which a line from
/// the last level takes as long as some sixty.
constexpr double way_bytes = 4;
/// How many visits come to lines that nothing near by has fetched, where nobody has recorded it: with objects
/// as they are. Most lists and trees are walked somewhat in the order of their places, and caches hold some.
constexpr double out_of_order = 0.3;
/// What a line costs that is fetched while the next object's is on its way: the part with the pointers to
/// other objects of the set is waited for, and the processor fetches the rest meanwhile.
constexpr double overlapped = 0.25;

/// How a part's fields lie in an element of its array.
struct Element {
    uint64_t bytes = 0;
    std::vector<std::pair<uint64_t, uint64_t>> extents = {};  ///< of each field: its begin and end
};

bool has(FieldSet fields, size_t number) {
    return (fields >> number & 1) != 0;
}

Element element_of(const Proof& proof, FieldSet part) {
    Element element;
    element.extents.resize(proof.fields.size());
    for (size_t i = 0; i < proof.fields.size(); ++i) {
        if (has(part, i)) {
            const uint64_t bytes = proof.fields[i].bytes;
            const uint64_t begin = llvm::alignTo(element.bytes, std::min<uint64_t>(8, std::bit_ceil(bytes)));
            element.bytes = begin + bytes;
            element.extents[i] = {begin, element.bytes};
        }
    }
    return element;
}

uint64_t whole_bytes(const Proof& proof) {
    return proof.is_arrays ? proof.object_bytes : llvm::alignTo(proof.object_bytes, uint64_t{16});
}

Element whole_element(const Proof& proof) {
    Element element = {.bytes = whole_bytes(proof)};
    for (const Field& field : proof.fields) {
        element.extents.emplace_back(field.offset, field.end());
    }
    return element;
}

/// In the mean over the places that elements have within lines.
double lines_of(FieldSet touched, const Element& element) {
    uint64_t begin = UINT64_MAX, end = 0;
    for (size_t i = 0; i < element.extents.size(); ++i) {
        if (has(touched, i)) {
            begin = std::min(begin, element.extents[i].first);
            end = std::max(end, element.extents[i].second);
        }
    }
    const uint64_t places = line_bytes / std::gcd(element.bytes, line_bytes);
    uint64_t lines = 0;
    for (uint64_t place = 0; place < places; ++place) {
        const uint64_t at = place * element.bytes;
        lines += (at + end - 1) / line_bytes - (at + begin) / line_bytes + 1;
    }
    return static_cast<double>(lines) / static_cast<double>(places);
}

/// Of elements of a fraction of the length caches hold more: misses fall with the square root of that, the
/// rule of thumb for caches of all sizes. A recording says how many lines of whole objects came from memory,
/// waited for; what the caches had, it does not tell apart.
double share_out_of_order(const Proof& proof, const Usage& usage, uint64_t element_bytes) {
    const double length = static_cast<double>(element_bytes) / static_cast<double>(whole_bytes(proof));
    if (!usage.recorded) {
        return out_of_order * std::sqrt(length);
    }
    const double rest = 1 - usage.recorded->waited - usage.recorded->in_order;
    return usage.recorded->waited * std::sqrt(length) + rest * out_of_order;
}

double fetched(const Proof& proof, const Usage& usage, FieldSet part, const Element& element) {
    const double share = share_out_of_order(proof, usage, element.bytes);
    double sum = 0;
    for (const Visit& visit : usage.visits) {
        const FieldSet touched = visit.fields & part;
        if (touched == 0) {
            continue;
        }
        const double lines = line_bytes * lines_of(touched, element);
        const double in_order = std::min(static_cast<double>(element.bytes), lines);
        const double bytes = visit.is_fresh ? in_order : std::lerp(in_order, lines, share);
        const bool is_waited_for = (touched & usage.links) != 0 && !visit.is_fresh;
        sum += visit.weight * bytes * (is_waited_for ? 1 : overlapped);
    }
    return sum;
}

}  // namespace

double lines_of_whole(const Proof& proof, FieldSet fields) {
    return lines_of(fields, whole_element(proof));
}

double Costs::of(const std::vector<FieldSet>& parts) const {
    const FieldSet first = first_of(parts);
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [&](double sum, FieldSet part) { return sum + of_part_beside(part, first); });
}

FieldSet Costs::first_of(const std::vector<FieldSet>& parts) const {
    return *std::ranges::max_element(parts, {}, [&](FieldSet part) {
        return std::tuple(proof_.first_leads && (part & 1) != 0, (part & usage_.links) != 0, weight_of(part));
    });
}

double Costs::of_part_beside(FieldSet part, FieldSet first) const {
    return of_part(part) + (part == first ? 0 : of_ways(part));
}

double Costs::whole() const {
    return fetched(proof_, usage_, ~FieldSet{0}, whole_element(proof_));
}

double Costs::of_part(FieldSet part) const {
    const auto [known, is_new] = known_.try_emplace(part);
    if (is_new) {
        known->second = fetched(proof_, usage_, part, element_of(proof_, part));
    }
    return known->second;
}

/// The code tells how often an object is come to. A recorded visit is as long as a line stays in the first
/// level, in which the way may be gone at each access.
double Costs::of_ways(FieldSet part) const {
    if (!usage_.recorded) {
        return way_bytes * weight_of(part);
    }
    double most = 0;
    for (size_t i = 0; i < proof_.fields.size(); ++i) {
        most = has(part, i) ? std::max(most, usage_.recorded->accesses[i]) : most;
    }
    return way_bytes * most;
}

double Costs::weight_of(FieldSet fields) const {
    return std::accumulate(usage_.visits.begin(), usage_.visits.end(), 0.0,
                           [&](double sum, const Visit& visit) {
                               return sum + ((visit.fields & fields) != 0 ? visit.weight : 0);
                           });
}

}  // namespace malloom::compiler
