// Scene: a world and a run of the host in it, before either is made; what a fault is put into.
//
// A fault changes a scene and nothing else: it puts a decorator around a product object at one of its seams, or takes
// controls away. The world is made from the scene afterwards. One thread.
#pragma once

#include <memory>
#include <string>

#include "tests/lab/world/lab_world.h"
#include "wire/base/json.h"

namespace postern::faults {

struct Scene {
  lab::LabWorldOptions world;
  lab::HostRunOptions run;
  // A second run of the host that goes on with the first one: its facts are the fault's then.
  bool goes_on = false;
  // The world once it was made, for a decorator that moves its clock; null before.
  std::shared_ptr<lab::LabWorld*> made = std::make_shared<lab::LabWorld*>(nullptr);
};

// A server beside the desk in the configuration of the run; `entry` is what stands under its name in "mcpServers".
// REQUIRES that the world's folder is there, and no other server.
void add_server(Scene& scene, const std::string& name, Json entry);

}  // namespace postern::faults
