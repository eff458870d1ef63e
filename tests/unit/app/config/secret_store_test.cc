#include "app/config/secret_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "app/config/config_text.h"
#include "config_file.h"

namespace app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class SecretStoreTest : public ConfigFile {
 protected:
  SecretStoreTest() {
    ::setenv("CREDENTIALS_DIRECTORY", (file_.directory() / "credentials").c_str(), 1);
  }
  ~SecretStoreTest() override {
    ::unsetenv("CREDENTIALS_DIRECTORY");
    ::unsetenv("CAM_KEY");
  }

  static std::string stream(const std::string& source) {
    return "[[stream]]\nname = \"a\"\nsource = '" + source + "'\n";
  }
  std::string source(const std::string& text) {
    return load(stream(text)).streams.at(0).media.source.uri;
  }
  std::string secrets() const { return (file_.directory() / "secrets.toml").string(); }
};

TEST_F(SecretStoreTest, CredentialBeforeVariableBeforeFile) {
  file_.write("secrets.toml", "CAM_KEY = \"of-file\"\n");
  EXPECT_EQ(source("srt://h:1?passphrase=${CAM_KEY}"), "srt://h:1?passphrase=of-file");
  ::setenv("CAM_KEY", "of-environment", 1);
  EXPECT_EQ(source("srt://h:1?passphrase=${CAM_KEY}"), "srt://h:1?passphrase=of-environment");
  file_.write("credentials/CAM_KEY", "of-systemd\n");
  EXPECT_EQ(source("srt://h:1?passphrase=${CAM_KEY}"), "srt://h:1?passphrase=of-systemd");
}

TEST_F(SecretStoreTest, WorksAnywhereInAnyStringAndMoreThanOnce) {
  file_.write("secrets.toml", "user = \"me\"\n\"pass.word\" = \"p%40ss\"\nlevel = \"debug\"\n");
  EXPECT_EQ(source("rtsp://${user}:${pass.word}@h/${user}"), "rtsp://me:p%40ss@h/me");
  EXPECT_EQ(load("log.level = \"${level}\"").log_level, base::log::Level::kDebug);
}

TEST_F(SecretStoreTest, DollarSignsOfOtherKindsStay) {
  EXPECT_EQ(source("file:/a$b$$c{d}"), "file:/a$b$$c{d}");
  EXPECT_EQ(source("file:/$${CAM_KEY}"), "file:/${CAM_KEY}");
}

TEST_F(SecretStoreTest, MissingSecretSaysWhatWhereAndTheCure) {
  EXPECT_THAT(errors(stream("rtsp://${CAM_KEY}@h/")),
              ElementsAre("3:10: source.uri: ${CAM_KEY} is not set; add CAM_KEY = \"VALUE\" to " +
                          secrets() +
                          ", or set a systemd credential or an environment variable of this name"));
}

TEST_F(SecretStoreTest, MalformedReferencesAreErrors) {
  for (const auto* text : {"rtsp://${CAM@h/", "rtsp://${}@h", "rtsp://${../x}@h", "a:${a b}"}) {
    EXPECT_THAT(errors(stream(text)),
                ElementsAre(StartsWith("3:10: source.uri: a secret is written ${NAME}")))
        << text;
  }
}

TEST_F(SecretStoreTest, ReservedCharactersOfAPasswordAreErrorsWithoutTheValue) {
  file_.write("secrets.toml", "CAM_KEY = \"p@ss/word\"\n");
  EXPECT_THAT(errors(stream("rtsp://me:${CAM_KEY}@h/")),
              ElementsAre(AllOf(HasSubstr("write %40 for @"), Not(HasSubstr("ss/word")))));
  EXPECT_EQ(source("http://h/live/${CAM_KEY}"), "http://h/live/p@ss/word");
}

TEST_F(SecretStoreTest, ErrorsShowTheReferenceAndNeverTheValue) {
  file_.write("secrets.toml", "CAM_KEY = \"hush-hush\"\n");
  EXPECT_THAT(
      errors("rate.max = \"${CAM_KEY}\"\n" + stream("${CAM_KEY}")),
      ElementsAre(AllOf(HasSubstr("\"${CAM_KEY}\" is not a rate"), Not(HasSubstr("hush"))),
                  AllOf(HasSubstr("source: \"***\" is not a source"), Not(HasSubstr("hush")))));
}

TEST_F(SecretStoreTest, ErrorsOfTheFileHaveNoWordOfIt) {
  for (const auto* text : {"CAM_KEY = hush-hush", "CAM_KEY: hush-hush", "CAM_KEY = 'hush-hush",
                           "[hush-hush", "CAM_KEY = 4711", "A = 'hush'\nA = 'hush'"}) {
    file_.write("secrets.toml", text);
    EXPECT_THAT(errors(stream("rtsp://${CAM_KEY}@h/")),
                ElementsAre(AllOf(HasSubstr("${CAM_KEY} is not set: " + secrets() + ":"),
                                  Not(HasSubstr("hush")), Not(HasSubstr("4711")))))
        << text;
  }
}

TEST_F(SecretStoreTest, FileIsReadOnlyIfItIsNeeded) {
  file_.write("secrets.toml", "nonsense");
  EXPECT_EQ(source("test:"), "test:");
  ::setenv("CAM_KEY", "of-environment", 1);
  EXPECT_EQ(source("rtmp://h/${CAM_KEY}"), "rtmp://h/of-environment");
}

TEST_F(SecretStoreTest, TheConfigurationInEffectMasksSecrets) {
  file_.write("secrets.toml", "CAM_KEY = \"hush-hush\"\n");
  const auto shown = effective_config(load(stream("rtmp://u:pw@h/live/${CAM_KEY}")));
  EXPECT_THAT(shown, HasSubstr("source.uri = \"rtmp://***@h/live/***\""));
}

TEST_F(SecretStoreTest, TopNeedsNoSecrets) {
  const auto config = load_config((file_.write(stream("rtsp://${CAM_KEY}@h/")), file_.path()),
                                  {.secrets = Secrets::kNames}, kOfferedControls);
  EXPECT_EQ(config.streams.at(0).media.source.uri, "rtsp://${CAM_KEY}@h/");
}

}  // namespace
}  // namespace app
