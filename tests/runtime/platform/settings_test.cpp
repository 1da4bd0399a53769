#include "runtime/platform/settings.h"

#include <gtest/gtest.h>

#include <string>

namespace malloom::platform {
namespace {

TEST(Settings, AreFoundByName) {
    const Settings settings("heap=plan,statistics=1,plan=/some/run.plan");
    EXPECT_STREQ(settings.value("heap"), "plan");
    EXPECT_STREQ(settings.value("statistics"), "1");
    EXPECT_STREQ(settings.value("plan"), "/some/run.plan");
}

TEST(Settings, AreNullWhereNotGiven) {
    const Settings settings("heap=plan");
    EXPECT_EQ(settings.value("plan"), nullptr);
    EXPECT_EQ(settings.value("hea"), nullptr);
    EXPECT_EQ(settings.value("heaps"), nullptr);
    EXPECT_EQ(Settings(nullptr).value("heap"), nullptr);
    EXPECT_EQ(Settings("").value("heap"), nullptr);
    EXPECT_EQ(Settings("heap").value("heap"), nullptr);
    EXPECT_EQ(Settings(",,=,").value("heap"), nullptr);
}

TEST(Settings, MaySayTheirLength) {
    const Settings settings("save=6:/a,b=c,other=0:,heap=pools,odd=12,late=99:xy");
    EXPECT_STREQ(settings.value("save"), "/a,b=c");
    EXPECT_STREQ(settings.value("other"), "");
    EXPECT_STREQ(settings.value("heap"), "pools");
    EXPECT_STREQ(settings.value("odd"), "12");
    EXPECT_STREQ(settings.value("late"), "xy");
}

TEST(Settings, EndAtACommaButForAPath) {
    const Settings settings("a=1,b=,path=/x,c=2,d=/y=z");
    EXPECT_STREQ(settings.value("a"), "1");
    EXPECT_STREQ(settings.value("b"), "");
    EXPECT_STREQ(settings.value("path"), "/x,c=2,d=/y=z");
    EXPECT_EQ(settings.value("c"), nullptr);
}

TEST(Settings, GivenTwiceCountAsFirstGiven) {
    EXPECT_STREQ(Settings("a=1,a=2").value("a"), "1");
}

TEST(Settings, AreVisitedWithWhatIsNone) {
    std::string parts;
    Settings("heap=plan,,=1,hep,a=,b=0:,save=6:/a,b=c,plan=/x,y=z").for_each([&](const Settings::Part& part) {
        parts += std::string(part.text, part.name_bytes) + (part.is_setting ? ";" : "?;");
    });
    EXPECT_EQ(parts, "heap;?;hep?;a?;b?;save;plan;");
    Settings(nullptr).for_each([](const Settings::Part&) { FAIL(); });
}

TEST(Settings, AreACopy) {
    char text[] = "record=/tmp/profile";
    const Settings settings(text);
    text[8] = 'X';
    EXPECT_STREQ(settings.value("record"), "/tmp/profile");
}

TEST(Settings, HoldTheLongestPathsAndRefuseMore) {
    const std::string longest = "/" + std::string(4094, 'x');
    const std::string pair = "save_plan=4095:" + longest + ",plan=" + longest;
    EXPECT_EQ(Settings(("depth=8," + pair).c_str()).value("save_plan"), longest);
    EXPECT_EQ(Settings(("depth=8," + pair).c_str()).value("plan"), longest);
    EXPECT_EQ(Settings(("depth=8," + pair).c_str()).bytes_ignored(), 0);
    const Settings too_long((pair + std::string(1000, 'y')).c_str());
    EXPECT_EQ(too_long.value("plan"), nullptr);
    EXPECT_EQ(too_long.bytes_ignored(), pair.size() + 1000);
}

}  // namespace
}  // namespace malloom::platform
