#pragma once

#include "app/tcp/frame_deliveries.h"
#include "app/tcp/socket_steering.h"
#include "server/handler.h"
#include "transcoder/ingest/ingest.h"
#include "transcoder/ingest/source_end.h"
#include "transcoder/ingest/source_trouble.h"

/// Names of enumerators, as log, metrics, pages and trace show them.
namespace app {

const char* name(server::LeaveReason reason);
const char* name(transcoder::Ingest::Status status);
const char* name(FrameDelivery::Source source);
const char* name(SocketSteering::SsthreshHint hint);

}  // namespace app
