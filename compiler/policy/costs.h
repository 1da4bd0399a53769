// What the visits of a set's objects cost, with these fields in one array and those in another.
//
// A visit's cost is counted in bytes that come from memory: where objects are visited in the order of their
// places, those of the arrays' elements; where not, the lines that each visited part touches. Where the
// pointers to further objects lie is waited for; the rest is fetched meanwhile.
#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/policy/visits.h"

namespace malloom::compiler {

/// How many lines a visit to these fields of an object that is not split touches, in the mean over the places
/// that objects have within lines.
double lines_of_whole(const Proof& proof, FieldSet fields);

/// Of one set. Remembers what was asked of it, so it is not for several threads.
class Costs {
  public:
    /// Both must outlive it; the proof has at most `most_grouped_fields` fields.
    Costs(const Proof& proof, const Usage& usage) : proof_(proof), usage_(usage) {}

    /// Of all visits, with these parts.
    double of(const std::vector<FieldSet>& parts) const;
    /// Of the visits to one of the parts, of which `first` is where addresses lead.
    double of_part_beside(FieldSet part, FieldSet first) const;
    /// Of these parts the one where addresses lead: that of links, as the way to them is waited for, too, or
    /// where most visits go; unless it must be the first field's.
    FieldSet first_of(const std::vector<FieldSet>& parts) const;
    /// Of all visits, with the fields as they lie in the object.
    double whole() const;
    /// How often any of these fields is visited.
    double weight_of(FieldSet fields) const;

  private:
    /// What is fetched of one part.
    double of_part(FieldSet part) const;
    /// What the ways to a part cost that is not where addresses lead.
    double of_ways(FieldSet part) const;

    const Proof& proof_;
    const Usage& usage_;
    mutable std::unordered_map<FieldSet, double> known_;  ///< by their parts
};

}  // namespace malloom::compiler
