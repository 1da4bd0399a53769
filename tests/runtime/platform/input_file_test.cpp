#include "runtime/platform/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

namespace malloom::platform {
namespace {

class InputFileTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_NE(mkdtemp(folder_), nullptr);
        path = std::string(folder_) + "/file";
        write("some bytes");
    }
    void TearDown() override {
        file.close();
        unlink(path.c_str());
        rmdir(folder_);
    }

    void write(const std::string& words) { std::ofstream(path) << words; }

    // The lowest descriptor that is free.
    static int next_descriptor() {
        const int next = dup(STDIN_FILENO);
        close(next);
        return next;
    }

    std::string path;
    InputFile file;
    char bytes[10] = {};

  private:
    char folder_[32] = "/tmp/malloom-input-XXXXXX";
};

TEST_F(InputFileTest, ReadsWhatThereIsAndNoMore) {
    errno = EDOM;
    ASSERT_EQ(file.open(path.c_str()), nullptr);
    EXPECT_EQ(file.bytes(), 10u);
    EXPECT_TRUE(file.read(bytes, 5, 5));
    EXPECT_EQ(std::string(bytes, 5), "bytes");
    EXPECT_FALSE(file.read(bytes, 6, 5));
    EXPECT_FALSE(file.read(bytes, 1, UINT64_MAX));
    EXPECT_EQ(errno, EDOM);
}

TEST_F(InputFileTest, SaysWhyAFileIsNotOpened) {
    EXPECT_STREQ(file.open("/nowhere/at all"), "No such file or directory");
    EXPECT_STREQ(file.open("/tmp"), "is no ordinary file");
    EXPECT_STREQ(file.open("/dev/zero"), "is no ordinary file");
    EXPECT_STREQ(file.open(std::string(5000, 'x').c_str()), "File name too long");
    unlink(path.c_str());
    ASSERT_EQ(symlink("nothing", path.c_str()), 0);
    EXPECT_STREQ(file.open(path.c_str()), "No such file or directory");
    EXPECT_FALSE(file.read(bytes, 1, 0));
}

TEST_F(InputFileTest, NeitherWaitsForAPipeNorWakesItsWriter) {
    unlink(path.c_str());
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_STREQ(file.open(path.c_str()), "is no ordinary file");
    std::atomic<bool> is_woken = false;
    std::thread writer([&] {
        const int end = ::open(path.c_str(), O_WRONLY);
        is_woken = true;
        close(end);
    });
    usleep(100000);
    EXPECT_STREQ(file.open(path.c_str()), "is no ordinary file");
    usleep(100000);
    EXPECT_FALSE(is_woken);
    const int reader = ::open(path.c_str(), O_RDONLY);
    writer.join();
    close(reader);
}

TEST_F(InputFileTest, AFileThatShrinksIsNotRead) {
    ASSERT_EQ(file.open(path.c_str()), nullptr);
    ASSERT_EQ(truncate(path.c_str(), 4), 0);
    EXPECT_TRUE(file.read(bytes, 4, 0));
    EXPECT_FALSE(file.read(bytes, 10, 0));
}

TEST_F(InputFileTest, AFileThatIsReplacedStaysWhatItWas) {
    ASSERT_EQ(file.open(path.c_str()), nullptr);
    unlink(path.c_str());
    write("other words");
    ASSERT_TRUE(file.read(bytes, 10, 0));
    EXPECT_EQ(std::string(bytes, 10), "some bytes");
}

TEST_F(InputFileTest, KeepsItsDescriptorOutOfTheWay) {
    const int before = next_descriptor();
    ASSERT_EQ(file.open(path.c_str()), nullptr);
    ASSERT_TRUE(file.keep_open());
    EXPECT_EQ(next_descriptor(), before);
    EXPECT_TRUE(file.read(bytes, 10, 0));
    EXPECT_EQ(fcntl(1000, F_GETFD), FD_CLOEXEC);
    file.close();
    EXPECT_EQ(fcntl(1000, F_GETFD), -1);
}

TEST_F(InputFileTest, ALowLimitOfDescriptorsLeavesTheHighestOne) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit low = {100, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    ASSERT_EQ(file.open(path.c_str()), nullptr);
    EXPECT_TRUE(file.keep_open());
    EXPECT_TRUE(file.read(bytes, 10, 0));
    EXPECT_EQ(fcntl(99, F_GETFD), FD_CLOEXEC);
    InputFile other;
    ASSERT_EQ(other.open(path.c_str()), nullptr);
    EXPECT_FALSE(other.keep_open());
    EXPECT_FALSE(other.read(bytes, 10, 0)) << "it is closed";
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(InputFileTest, ADescriptorThatTheProgramClosedOrReusedIsLeftAlone) {
    ASSERT_EQ(file.open(path.c_str()), nullptr);
    ASSERT_TRUE(file.keep_open());
    close(1000);
    EXPECT_FALSE(file.read(bytes, 1, 0));
    ASSERT_EQ(dup2(STDIN_FILENO, 1000), 1000);
    EXPECT_FALSE(file.read(bytes, 1, 0));
    file.close();
    EXPECT_EQ(close(1000), 0) << "it was the program's";
}

}  // namespace
}  // namespace malloom::platform
