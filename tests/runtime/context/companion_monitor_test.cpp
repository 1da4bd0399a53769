#include "runtime/context/companion_monitor.h"

#include <gtest/gtest.h>
#include <string.h>

#include <array>
#include <deque>
#include <unordered_set>
#include <vector>

namespace malloom::context {
namespace {

struct Node {
    Node* first = nullptr;
    uintptr_t other = 0;
};

// What the tests' objects are: only those of the pool.
struct Pool {
    std::deque<Node> nodes;
    std::unordered_set<uintptr_t> addresses;
};

size_t bytes_at(const void* heap, uintptr_t address) {
    return static_cast<const Pool*>(heap)->addresses.contains(address) ? sizeof(Node) : 0;
}

class CompanionMonitorTest : public testing::Test {
  protected:
    Node* make() {
        Node* made = &pool_.nodes.emplace_back();
        pool_.addresses.insert(reinterpret_cast<uintptr_t>(made));
        return made;
    }

    // One request with `kept` in the place; returns what it got.
    Node* request(uint32_t place, const void* kept) {
        CallerState caller = {};
        std::array<uintptr_t, CallerState::frame_words> frame = {};
        caller.frame = frame.data();
        const auto word = reinterpret_cast<uintptr_t>(kept);
        if (place < CallerState::registers_count) {
            caller.registers[place] = word;
        } else {
            frame[place - CallerState::registers_count] = word;
        }
        Node* made = make();
        monitor_.observe(caller, made, {&pool_, bytes_at});
        return made;
    }

    // Links `companions` in turn, until the monitor is done.
    void link_in_turn(uint32_t place, const std::vector<Node*>& companions) {
        for (uint32_t i = 0; !monitor_.is_done(); ++i) {
            Node* parent = companions[i % companions.size()];
            parent->first = request(place, parent);
        }
    }

    Pool pool_;
    CompanionMonitor monitor_ = {};
};

#if defined(MALLOOM_CHECKED)
// A seeded fault, in each word: more was counted than looked at.
TEST_F(CompanionMonitorTest, CountsOfMoreThanWasLookedAtAreAFault) {
    request(0, make());
    EXPECT_TRUE(monitor_.is_valid());
    EXPECT_DEATH(
        {
            memset(static_cast<void*>(&monitor_), 0x7f, sizeof monitor_);
            request(0, make());
        },
        "malloom: fault of malloom's own: companion_monitor.cpp:.*is_valid");
}
#endif

TEST_F(CompanionMonitorTest, FindsTheCompanionInARegister) {
    link_in_turn(CallerState::r13, {make(), make(), make()});
    EXPECT_EQ(monitor_.place(), CallerState::r13);
}

TEST_F(CompanionMonitorTest, FindsTheCompanionInTheFrame) {
    const uint32_t place = CallerState::registers_count + CallerState::frame_words - 1;
    link_in_turn(place, {make(), make(), make()});
    EXPECT_EQ(monitor_.place(), place);
}

TEST_F(CompanionMonitorTest, AListThatGrowsAtItsEndNeedsNoCompanion) {
    std::array<Node*, 2> last = {make(), make()};
    for (uint32_t i = 0; !monitor_.is_done(); ++i) {
        Node*& end = last[i % 2];
        end->first = request(CallerState::rbx, end);
        end = end->first;
    }
    EXPECT_EQ(monitor_.place(), CompanionMonitor::nowhere);
}

TEST_F(CompanionMonitorTest, LooksAgainWhereCompanionsGetTheirFirstObjects) {
    std::vector<Node*> companions;
    for (uint32_t i = 0; i < CompanionMonitor::pauses[0] / 2; ++i) {
        companions.push_back(make());
    }
    link_in_turn(CallerState::r12, companions);
    EXPECT_EQ(monitor_.place(), CallerState::r12);
}

TEST_F(CompanionMonitorTest, CompanionsOfOneObjectEachAreNotWorthKnowing) {
    while (!monitor_.is_done()) {
        Node* parent = make();
        parent->first = request(CallerState::rbx, parent);
    }
    EXPECT_EQ(monitor_.place(), CompanionMonitor::nowhere);
}

TEST_F(CompanionMonitorTest, ATreeBuiltDepthFirstNeedsNoCompanion) {
    // Each inner node asks for two children; the second one's turn comes when the first one's tree is done.
    std::vector<Node*> waiting = {make()};
    while (!monitor_.is_done()) {
        Node* parent = waiting.back();
        waiting.pop_back();
        Node* child = request(CallerState::rbx, parent);
        if (parent->first == nullptr) {
            parent->first = child;
            waiting.push_back(parent);
        } else {
            parent->other = reinterpret_cast<uintptr_t>(child);
        }
        if (waiting.size() < 12) {
            waiting.push_back(child);
        }
    }
    EXPECT_EQ(monitor_.place(), CompanionMonitor::nowhere);
}

TEST_F(CompanionMonitorTest, ACompanionThatStaysTheSameIsNotWorthKnowing) {
    link_in_turn(CallerState::rbx, {make()});
    EXPECT_EQ(monitor_.place(), CompanionMonitor::nowhere);
}

TEST_F(CompanionMonitorTest, AnObjectThatGetsNoPointerIsNoCompanion) {
    const std::vector<Node*> companions = {make(), make(), make()};
    for (uint32_t i = 0; !monitor_.is_done(); ++i) {
        request(CallerState::rbx, companions[i % companions.size()]);
    }
    EXPECT_EQ(monitor_.place(), CompanionMonitor::nowhere);
}

TEST_F(CompanionMonitorTest, WordsThatAreNoObjectsAreLeftAlone) {
    std::array<Node, 2> outside = {};
    for (uint32_t i = 0; !monitor_.is_done(); ++i) {
        outside[i % 2].first = request(CallerState::rbx, &outside[i % 2]);
    }
    EXPECT_EQ(monitor_.place(), CompanionMonitor::nowhere);
}

TEST_F(CompanionMonitorTest, IsDoneAfterItsSamples) {
    link_in_turn(CallerState::rbx, {make(), make()});
    EXPECT_EQ(pool_.nodes.size(), 2 + CompanionMonitor::samples + 1);
    CallerState caller = {};
    EXPECT_FALSE(monitor_.observe(caller, make(), {&pool_, bytes_at}));
}

}  // namespace
}  // namespace malloom::context
