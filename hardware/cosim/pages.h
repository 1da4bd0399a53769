// The pages of a heap, each with its bitmap in memory and, of one page a class, in the unit as well. Both are
// asked for everything, and have to agree.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hardware/model/bitmap.h"
#include "hardware/model/request.h"

namespace malloom::hardware {

/// What the unit was asked, how often.
struct Asked {
    uint64_t finds = 0;
    uint64_t frees = 0;
    uint64_t loads = 0;
    uint64_t stores = 0;
};

/// Where an object lies.
struct Place {
    uint32_t size_class;
    uint32_t page;
    uint32_t chunk;
};

class Pages {
  public:
    using Unit = std::function<uint32_t(const Request&)>;

    /// `unit` answers requests of the geometry, and has just been reset.
    Pages(Geometry geometry, Unit unit);

    /// A place for so many bytes. None where they are more than half a page: the unit has nothing to do with
    /// these.
    std::optional<Place> allocate(uint64_t bytes);
    void free(const Place& place);

    /// What the unit said and should not have; empty where all agreed.
    const std::string& disagreement() const { return disagreement_; }
    const Asked& asked() const { return asked_; }
    uint64_t pages() const;

  private:
    struct Class {
        uint32_t chunks;
        std::vector<Bitmap> pages;
        std::optional<uint32_t> in_unit;  ///< the page whose bitmap the unit has
    };

    std::optional<uint32_t> class_of(uint64_t bytes) const;
    uint32_t page_with_room(Class& size_class) const;
    void bring(uint32_t number, uint32_t page);
    void expect(const Request& request, uint32_t wanted);

    Geometry geometry_;
    Unit unit_;
    std::vector<Class> classes_;
    Asked asked_;
    std::string disagreement_;
};

}  // namespace malloom::hardware
