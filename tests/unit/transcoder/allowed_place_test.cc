#include "transcoder/allowed_place.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

AllowedPlace place(const char* text) { return *AllowedPlace::parse(text); }
std::string error(const char* text) { return AllowedPlace::parse(text).error(); }

TEST(AllowedPlaceTest, IsANetworkAHostOrAFolder) {
  EXPECT_EQ(place("10.0.0.0/8").network(), *base::Network::parse("10.0.0.0/8"));
  EXPECT_TRUE(place("2001:db8::/32").network());
  EXPECT_TRUE(place("192.0.2.1").network());
  EXPECT_TRUE(place("cdn.example").is_host());
  EXPECT_TRUE(place("cafe.de").is_host());
  EXPECT_TRUE(place("localhost").is_host());
  EXPECT_TRUE(place("/srv/media").is_folder());
  EXPECT_FALSE(place("10.0.0.0/8").is_host());
  EXPECT_FALSE(place("/srv/media").is_host());
}

TEST(AllowedPlaceTest, HasOneFormForTheSamePlace) {
  EXPECT_EQ(place("CDN.Example."), place("cdn.example"));
  EXPECT_EQ(place("/srv/./media/"), place("/srv/media"));
  EXPECT_EQ(place("192.0.2.1"), place("192.0.2.1/32"));
  EXPECT_EQ(place("192.0.2.1").text(), "192.0.2.1/32");
}

TEST(AllowedPlaceTest, SaysHowToCorrectAnother) {
  EXPECT_EQ(error("*.example"), "\"*.example\": wildcards are not supported; name each host");
  EXPECT_EQ(error("http://cdn.example/"),
            "\"http://cdn.example/\": write only the host of this URI");
  EXPECT_EQ(error("cdn.example:80"), "\"cdn.example:80\": write the host without its port");
  EXPECT_EQ(error("/"), "\"/\": this would permit every file; name a folder in it");
  EXPECT_NE(error("10.0.0.1/8").find("write 10.0.0.0/8"), std::string::npos);
  EXPECT_NE(error("10.0.0.0/33").find("0 to 32"), std::string::npos);
  EXPECT_NE(error("10.0.0").find("is not an IP address"), std::string::npos);
  for (const char* text : {"", "a b", "a/b"}) {
    EXPECT_NE(error(text).find("neither a network"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace transcoder
