// Where the page heap puts requests that were recorded.
#include "src/native/pages/placing.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace malloom::native {
namespace {

constexpr uint64_t room = uint64_t{1} << 24;

TEST(Placing, ObjectsOfASizeLieInARowAndPlacesComeAgain) {
    const std::vector<uint64_t> sizes(4, 24);
    const std::vector<uint32_t> alignments(4, 0);
    const std::vector<int64_t> events = {0, 1, 2, ~int64_t{1}, 3};
    const std::vector<int64_t> places = place_in_pages(sizes, alignments, events, room);
    EXPECT_EQ(places[1], places[0] + 32);
    EXPECT_EQ(places[2], places[0] + 64);
    EXPECT_EQ(places[3], places[1]);
}

TEST(Placing, WhatHasNoRoomHasNoPlace) {
    const std::vector<uint64_t> sizes = {room, 100};
    const std::vector<uint32_t> alignments = {0, 4096};
    const std::vector<int64_t> places = place_in_pages(sizes, alignments, std::vector<int64_t>{0, 1}, room);
    EXPECT_EQ(places[0], no_place);
    EXPECT_EQ(places[1] % 4096, 0);
    EXPECT_GT(places[1], 0);
}

TEST(Placing, EventsOfNoObjectAreRefused) {
    const std::vector<uint64_t> sizes = {100};
    const std::vector<uint32_t> alignments = {0};
    for (const std::vector<int64_t>& events :
         {std::vector<int64_t>{1}, {~int64_t{0}}, {0, ~int64_t{0}, ~int64_t{0}}}) {
        EXPECT_THROW(place_in_pages(sizes, alignments, events, room), std::invalid_argument);
    }
}

}  // namespace
}  // namespace malloom::native
