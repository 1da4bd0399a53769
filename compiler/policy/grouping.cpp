#include "compiler/policy/grouping.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace malloom::compiler {

namespace {

constexpr uint64_t line_bytes = 64;
/// What it costs to find the object's number and the place in an array of other elements: a few instructions,
/// of which a line from the last level takes as long as some sixty.
constexpr double way_bytes = 4;
/// How many visits come to lines that nothing near by has fetched: most lists and trees are walked somewhat
/// in the order of their places, and caches hold what is dense.
constexpr double out_of_order = 0.15;
/// What a line costs that is fetched while the next object's is on its way: the part with the pointers to
/// other objects of the set is waited for, and the processor fetches the rest meanwhile.
constexpr double overlapped = 0.25;
/// A split must promise so much to be worth its code.
constexpr double worthwhile = 0.95;

using Part = uint64_t;  // a set of fields

/// How a part's fields lie in an element of its array.
struct Element {
    uint64_t bytes = 0;
    std::vector<std::pair<uint64_t, uint64_t>> extents;  ///< of each field: its begin and end
};

class Costs {
  public:
    Costs(const std::vector<Field>& fields, const std::vector<Visit>& visits)
        : fields_(fields), visits_(visits) {}

    /// Of all visits, with these parts; the first one is where addresses lead.
    double of(const std::vector<Part>& parts) const {
        return std::accumulate(parts.begin(), parts.end(), 0.0, [&](double sum, Part part) {
            const bool is_as_long = element_of(part).bytes == element_of(parts.front()).bytes;
            return sum + of_part(part) + (is_as_long ? 0 : weight_of(part) * way_bytes);
        });
    }
    /// Of all fields as they lie in the object.
    double whole(uint64_t object_bytes) const {
        Element object = {llvm::alignTo(object_bytes, uint64_t{16}), {}};
        for (const Field& field : fields_) {
            object.extents.emplace_back(field.offset, field.end());
        }
        return of_element(~Part{0}, object);
    }
    double weight_of(Part part) const {
        return std::accumulate(visits_.begin(), visits_.end(), 0.0, [&](double sum, const Visit& visit) {
            return sum + ((visit.fields & part) != 0 ? visit.weight : 0);
        });
    }
    double of_part(Part part) const { return of_element(part, element_of(part)); }

  private:
    Element element_of(Part part) const {
        Element element;
        element.extents.resize(fields_.size());
        for (unsigned i = 0; i < fields_.size(); ++i) {
            if ((part >> i & 1) != 0) {
                const uint64_t begin =
                    llvm::alignTo(element.bytes, std::min<uint64_t>(8, std::bit_ceil(fields_[i].bytes)));
                element.bytes = begin + fields_[i].bytes;
                element.extents[i] = {begin, element.bytes};
            }
        }
        return element;
    }

    double of_element(Part part, const Element& element) const {
        double sum = 0;
        for (const Visit& visit : visits_) {
            const Part touched = visit.fields & part;
            if (touched == 0) {
                continue;
            }
            const double lines = line_bytes * lines_of(touched, element);
            const double in_order = std::min(static_cast<double>(element.bytes), lines);
            const double bytes = visit.is_fresh ? in_order : std::lerp(in_order, lines, out_of_order);
            sum += visit.weight * bytes * (leads_on(touched) && !visit.is_fresh ? 1 : overlapped);
        }
        return sum;
    }

    bool leads_on(Part part) const {
        for (unsigned i = 0; i < fields_.size(); ++i) {
            if ((part >> i & 1) != 0 && fields_[i].is_recursive) {
                return true;
            }
        }
        return false;
    }

    /// In the mean over the places that elements have within lines.
    double lines_of(Part touched, const Element& element) const {
        uint64_t begin = UINT64_MAX, end = 0;
        for (unsigned i = 0; i < fields_.size(); ++i) {
            if ((touched >> i & 1) != 0) {
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

    const std::vector<Field>& fields_;
    const std::vector<Visit>& visits_;
};

/// Begins with each field apart, and joins the two parts that save most as long as any do.
std::vector<Part> join_what_saves(const Costs& costs, size_t fields) {
    std::vector<Part> parts;
    for (unsigned i = 0; i < fields; ++i) {
        parts.push_back(Part{1} << i);
    }
    for (;;) {
        double best = 0;
        size_t one = 0, other = 0;
        for (size_t i = 0; i < parts.size(); ++i) {
            for (size_t j = i + 1; j < parts.size(); ++j) {
                const double apart = costs.of_part(parts[i]) + costs.of_part(parts[j]);
                const double way = way_bytes * (costs.weight_of(parts[i]) + costs.weight_of(parts[j]) -
                                                costs.weight_of(parts[i] | parts[j]));
                const double saved = apart + way - costs.of_part(parts[i] | parts[j]);
                // Fields that nobody visits lie together: fewer arrays.
                const bool both_idle = costs.weight_of(parts[i] | parts[j]) == 0;
                if (saved > best || (both_idle && best == 0 && other == 0)) {
                    best = saved;
                    one = i;
                    other = j;
                }
            }
        }
        if (other == 0) {
            return parts;
        }
        parts[one] |= parts[other];
        parts.erase(parts.begin() + static_cast<ptrdiff_t>(other));
    }
}

}  // namespace

std::vector<std::vector<unsigned>> best_parts(const Proof& proof, const std::vector<Visit>& visits) {
    const Costs costs(proof.fields, visits);
    std::vector<Part> parts = join_what_saves(costs, proof.fields.size());
    // Where an address leads is where most visits go.
    std::ranges::stable_sort(parts, std::ranges::greater(), [&](Part part) {
        return std::pair(proof.first_leads && (part & 1) != 0, costs.weight_of(part));
    });
    if (costs.of(parts) > worthwhile * costs.whole(proof.object_bytes)) {
        parts = {~Part{0}};
    }
    std::vector<std::vector<unsigned>> found;
    for (const Part part : parts) {
        std::vector<unsigned>& members = found.emplace_back();
        for (unsigned i = 0; i < proof.fields.size(); ++i) {
            if ((part >> i & 1) != 0) {
                members.push_back(i);
            }
        }
    }
    return found;
}

}  // namespace malloom::compiler
