// WaitingRounds: the calls of a run that wait for a person, in a file of the run's folder (0600) for as long as they
// wait.
//
// Request states are the server's and lead to a decision about money: they stand in this file and in no record, log or
// output. A file that cannot be read is as good as none: the call is then made anew. One thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "bridge/waiting_round.h"
#include "wire/base/result.h"

namespace postern::host {

class WaitingRounds final : public bridge::RoundKeeper {
 public:
  // Reads what an earlier part of the run kept in `run_folder`.
  explicit WaitingRounds(const std::string& run_folder);
  ~WaitingRounds() override;
  WaitingRounds(const WaitingRounds&) = delete;
  WaitingRounds& operator=(const WaitingRounds&) = delete;

  [[nodiscard]] std::optional<bridge::WaitingRound> kept(std::string_view tool, const Json& arguments) const override;
  void keep(std::string_view tool, const Json& arguments, bridge::WaitingRound round) override;
  void forget(std::string_view tool, const Json& arguments) override;
  // The run is finished: nothing waits, and the file is gone.
  void forget_all();

  // own.file_failed when the newest state could not be written.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void read();
  void save();

  std::string path_;
  std::map<std::string, bridge::WaitingRound, std::less<>> rounds_;  // by a digest of tool and arguments
  Status status_;
};

}  // namespace postern::host
