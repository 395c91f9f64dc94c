// Directories, copies, links, permissions and space by std::filesystem.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace fs = std::filesystem;

static void need(bool condition, const char *what) {
    if (!condition) {
        std::cerr << what << "\n";
        std::exit(1);
    }
}

int main() {
    fs::path place = fs::temp_directory_path() / "tree";
    fs::create_directories(place / "a/b");
    std::ofstream(place / "a/b/text") << "words";
    fs::copy(place / "a", place / "copy", fs::copy_options::recursive);
    fs::rename(place / "copy/b/text", place / "moved");
    fs::create_symlink("moved", place / "link");
    fs::create_hard_link(place / "moved", place / "twin");
    need(fs::hard_link_count(place / "moved") == 2, "hard link");
    need(fs::equivalent(place / "link", place / "twin"), "symbolic link");
    fs::permissions(place / "moved", fs::perms::owner_all);
    need((fs::status(place / "moved").permissions() & fs::perms::mask) == fs::perms::owner_all, "permissions");
    fs::last_write_time(place / "moved", fs::file_time_type::clock::now());
    fs::recursive_directory_iterator all(place), end;
    need(std::distance(all, end) == 8, "entries");
    need(fs::space(place).available > 0, "space");
    std::string text;
    std::ifstream(place / "link") >> text;
    need(text == "words", "content");
    // Between two file systems a file is copied; a rename is refused, as on every kernel.
    std::error_code error;
    fs::rename(place / "moved", "output/moved", error);
    need(error == std::errc::cross_device_link, "a rename between two file systems");
    fs::copy_file(place / "moved", "output/moved");
    need(fs::remove_all(place) == 9 && !fs::exists(place), "removal");
    std::cout << "C++ filesystem works\n";
}
