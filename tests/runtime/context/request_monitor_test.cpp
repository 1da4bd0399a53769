#include "runtime/context/request_monitor.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>

namespace {

using malloom::context::RequestMonitor;
using Verdict = RequestMonitor::Verdict;

// The verdict on the last of `count` requests of one size, all before it being unknown.
Verdict observe(RequestMonitor& monitor, size_t bytes, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        EXPECT_EQ(monitor.observe(bytes), Verdict::unknown);
    }
    return monitor.observe(bytes);
}

TEST(RequestMonitor, AFewRequestsOfOneSizeMakeAPool) {
    RequestMonitor monitor;
    EXPECT_EQ(observe(monitor, 48, RequestMonitor::pooling_after), Verdict::agree);
}

TEST(RequestMonitor, RequestsBeforeThatDelayIt) {
    RequestMonitor monitor;
    EXPECT_EQ(observe(monitor, 48, RequestMonitor::pooling_after - 1), Verdict::unknown);
    EXPECT_EQ(observe(monitor, 64, RequestMonitor::pooling_after), Verdict::agree);
}

TEST(RequestMonitor, SizesThatKeepChangingDisagree) {
    RequestMonitor monitor;
    for (uint32_t i = 0; i < RequestMonitor::most_changes; ++i) {
        EXPECT_EQ(monitor.observe(16 + 16 * (i % 2)), Verdict::unknown);
    }
    EXPECT_EQ(monitor.observe(16), Verdict::disagree);
}

TEST(RequestMonitor, MostRequestsOfOneSizeAreEnough) {
    std::mt19937 random(3);
    RequestMonitor monitor;
    Verdict verdict = Verdict::unknown;
    while (verdict == Verdict::unknown) {
        verdict = monitor.observe(random() % 8 == 0 ? random() % 1000 : 48);
    }
    EXPECT_EQ(verdict, Verdict::agree);
}

TEST(RequestMonitor, OtherSizesEndThePoolAndAgreementBringsItBackForLonger) {
    RequestMonitor monitor;
    ASSERT_EQ(observe(monitor, 48, RequestMonitor::pooling_after), Verdict::agree);
    for (uint32_t allowance : {1U, 4U, 16U}) {
        for (uint32_t i = 1; i < allowance * RequestMonitor::first_allowance; ++i) {
            ASSERT_FALSE(monitor.observe_other_size());
        }
        EXPECT_TRUE(monitor.observe_other_size());
        EXPECT_EQ(observe(monitor, 48, RequestMonitor::pooling_after), Verdict::agree);
    }
}

TEST(RequestMonitor, ASiteMayChangeItsSizeAFewTimes) {
    RequestMonitor monitor;
    for (uint32_t pool = 0; pool <= RequestMonitor::most_pools; ++pool) {
        const bool is_last = pool == RequestMonitor::most_pools;
        EXPECT_EQ(observe(monitor, 16 * (pool + 1), RequestMonitor::pooling_after),
                  is_last ? Verdict::disagree : Verdict::agree);
        while (!monitor.observe_other_size()) {
        }
    }
}

TEST(RequestMonitor, HugeSizesAreSizesToo) {
    RequestMonitor monitor;
    EXPECT_EQ(observe(monitor, SIZE_MAX, RequestMonitor::pooling_after - 1), Verdict::unknown);
    EXPECT_EQ(observe(monitor, 0, RequestMonitor::pooling_after), Verdict::agree);
}

}  // namespace
