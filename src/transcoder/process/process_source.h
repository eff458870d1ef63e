#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "transcoder/process/ingest_probe.h"
#include "transcoder/process/ingest_program.h"
#include "transcoder/process/lingering.h"
#include "transcoder/process/memory_budget.h"
#include "transcoder/process/memory_group.h"
#include "transcoder/process/source_access.h"
#include "transcoder/settings.h"
#include "transcoder/source.h"

namespace transcoder {

/// A source in a process of its own, which dies in our place: of a sender's data, by its memory
/// limit, or because it hangs. Its end is the end of the connection, with the reason. Nothing it
/// sends is trusted.
class ProcessSource final : public Source {
 public:
  /// One for the sources of all streams.
  struct Shared {
    /// `memory`: for all processes together. `groups`: null if there are none here.
    Shared(IngestProgram program_, base::ByteCount memory_, std::shared_ptr<MemoryGroups> groups_)
        : program{std::move(program_)}, memory{memory_}, groups{std::move(groups_)} {}

    const IngestProgram program;
    PluginList plugins;
    MemoryBudget memory;
    const std::shared_ptr<MemoryGroups> groups;
    Lingering lingering;
    StreamAccesses accesses;
    std::once_flag otherwise_isolated;  ///< for a line in the log
    std::once_flag groups_refused;      ///< the same
  };

  /// `stream`: its name, for the log and the process list. Throws base::SystemError if there is no
  /// memory for the pictures.
  ProcessSource(std::shared_ptr<Shared> shared, std::string stream, const SourceSettings& source,
                const VideoSettings& limits);
  ~ProcessSource() override;

  void start(std::shared_ptr<Listener> listener) override;
  void stop() override;
  SourceReport report() const override;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

/// Makes such sources, which may use this memory together, each in a group of its own if there are
/// any. Without the program they end at once, with the reason.
MakeSource process_source_maker(base::Result<IngestProgram> program, base::ByteCount memory,
                                std::shared_ptr<MemoryGroups> groups);

}  // namespace transcoder
