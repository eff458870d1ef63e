#include "server/full_response.h"

#include <utility>

namespace server {

namespace {

class ReadyAnswer final : public Answer {
 public:
  explicit ReadyAnswer(FullResponse response) : response_{std::move(response)} {}
  Step next(Link&, base::Time) override {
    return {.head = std::move(response_.head), .body = std::move(response_.body), .complete = true};
  }

 private:
  FullResponse response_;
};

}  // namespace

FullResponse full_response(AnswerHead head, std::vector<SharedBytes> body) {
  std::size_t size = 0;
  for (const auto& bytes : body) size += bytes.bytes.size();
  head.length = size;
  return {std::move(head), std::move(body)};
}

FullResponse text_response(int status, std::string content_type, std::string body) {
  return full_response({.status = status, .content_type = std::move(content_type)},
                       {SharedBytes::of(std::move(body))});
}

FullResponse error_response(int status, const std::string& what) {
  return text_response(status, AnswerHead{}.content_type, what + "\n");
}

std::unique_ptr<Answer> answer_with(FullResponse response) {
  return std::make_unique<ReadyAnswer>(std::move(response));
}

}  // namespace server
