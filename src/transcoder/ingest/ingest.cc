#include "transcoder/ingest/ingest.h"

#include <utility>

#include "transcoder/ingest/ingest_output.h"
#include "transcoder/ingest/make_source.h"
#include "transcoder/ingest/supervisor.h"
#include "transcoder/secrets.h"

namespace transcoder {

class Ingest::Impl {
 public:
  Impl(const std::string& stream, const SourceSettings& source, const VideoSettings& video,
       StreamClock clock, MakeSource make_source, Sink sink)
      : output_{std::make_shared<IngestOutput>(stream, video, clock, std::move(sink))},
        supervisor_{stream, without_secrets(source.uri), source,
                    [=, make_others = std::move(make_source)] {
                      return transcoder::make_source(stream, source, video, make_others);
                    },
                    output_} {
    check_uri(source);  // throws here rather than at the first attempt
  }

  void start() { supervisor_.start(); }

  void stop() {
    output_->close();
    supervisor_.stop();
  }

  State state() const { return supervisor_.state(); }

 private:
  const std::shared_ptr<IngestOutput> output_;
  Supervisor supervisor_;
};

Ingest::Ingest(const std::string& stream, const SourceSettings& source, VideoSettings video,
               StreamClock clock, MakeSource make_source, Sink sink)
    : impl_{std::make_unique<Impl>(stream, source, video, clock, std::move(make_source),
                                   std::move(sink))} {}

Ingest::~Ingest() { stop(); }

void Ingest::start() { impl_->start(); }

void Ingest::stop() { impl_->stop(); }

Ingest::State Ingest::state() const { return impl_->state(); }

}  // namespace transcoder
