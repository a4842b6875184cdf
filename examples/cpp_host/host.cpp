// An external simulator for nav_eval in one C++17 file without dependencies: a small 2-D world with walls.
//
// Build and run:  g++ -std=c++17 -O2 -pthread host.cpp -o host && ./host
// Evaluate:       simulator.backend=external simulator.command="./host --port {port}"
//
// Part 1 (JSON) and part 2 (the socket framing and the ten calls) can be taken as they are; part 3 is the world that
// you replace. Frames: y up, metres, radians, the agent looks along -z, positive yaw = left, quaternions x, y, z, w.
// POSIX sockets; on Windows use Winsock (or WSL). A thread serves each connection, and a session belongs to its own.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// ---------------------------------------------------------------- 1. JSON

struct Json {
  enum Kind { null, boolean, number, text, list, object } kind = null;
  double value = 0;  // of a boolean: 0 or 1
  std::string string;
  std::vector<Json> items;
  std::map<std::string, Json> fields;

  const Json& operator[](const std::string& key) const {
    static const Json nothing;
    return fields.count(key) ? fields.at(key) : nothing;
  }
  double get(const std::string& key, double otherwise) const {
    return (*this)[key].kind == number ? (*this)[key].value : otherwise;
  }
};

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Json parse() {
    Json value = any(0);
    return blank(), at_ == text_.size() ? value : (fail(), value);
  }

 private:
  void fail() { throw std::runtime_error("the header is no JSON"); }
  void blank() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_])) ++at_;
  }
  char next() { return at_ < text_.size() ? text_[at_++] : (fail(), '"'); }
  bool take(char wanted) {
    blank();
    return at_ < text_.size() && text_[at_] == wanted && ++at_;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail();
  }

  Json any(int depth) {
    if (depth > 64) fail();
    Json json;
    if (take('{')) {
      json.kind = Json::object;
      if (take('}')) return json;
      do {
        expect('"');
        std::string key = string();
        expect(':'), json.fields[key] = any(depth + 1);
      } while (take(','));
      expect('}');
    } else if (take('[')) {
      json.kind = Json::list;
      if (take(']')) return json;
      do json.items.push_back(any(depth + 1)); while (take(','));
      expect(']');
    } else if (take('"')) {
      json.kind = Json::text, json.string = string();
    } else {
      word(json);
    }
    return json;
  }

  void word(Json& json) {
    for (std::string name : {"true", "false", "null"}) {
      if (text_.compare(at_, name.size(), name) != 0) continue;
      at_ += name.size();
      json.kind = name == "null" ? Json::null : Json::boolean, json.value = name == "true";
      return;
    }
    const char* begin = text_.c_str() + at_;
    char* end = nullptr;
    json.kind = Json::number;
    json.value = std::strtod(begin, &end);
    if (end == begin || !std::isfinite(json.value)) fail();
    at_ += end - begin;
  }

  std::string string() {
    std::string out;
    for (char c = next(); c != '"'; c = next()) {
      bool escaped = c == '\\';
      if (escaped) c = next();
      const char *from = "nrtbf", *to = "\n\r\t\b\f", *found = std::strchr(from, c);
      if (escaped && c == 'u') {
        unsigned long code = std::stoul(text_.substr(at_, 4), nullptr, 16);
        out += code < 0x80 ? char(code) : '?';  // the evaluator escapes control characters only
        at_ += 4;
      } else {
        out += escaped && found ? to[found - from] : c;
      }
    }
    return out;
  }

  const std::string& text_;
  size_t at_ = 0;
};

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
    if (c < 0x20 || c == '"' || c == '\\') out += escaped;
    else out += char(c);
  }
  return out + "\"";
}

// ---------------------------------------------------------------- 2. the contract

struct Vec3 { double x, y, z; };
struct State { Vec3 position; double yaw; };
struct Step { bool collided; State state; };
struct Camera { std::string type; int width, height; double hfov; };
struct Agent { double radius, camera_height, forward_step, turn_angle; };

// One agent in one world: implement this for your own simulator.
class Simulator {
 public:
  virtual ~Simulator() = default;
  virtual State start(const std::string& scene, const Vec3* position, double yaw) = 0;
  virtual Step advance(const std::string& action) = 0;
  virtual State state() const = 0;
  virtual void draw(const Camera& camera, std::vector<uint8_t>& rgb, std::vector<float>& depth) const = 0;
  virtual double distance(Vec3 from, const std::vector<Vec3>& ends) const = 0;  // infinity: no way
  virtual bool navigable(Vec3 position) const = 0;
};
std::unique_ptr<Simulator> make_simulator(const Agent& agent);
extern const char* const description;

Vec3 vec3(const Json& json) {
  if (json.items.size() != 3) throw std::runtime_error("a position has three numbers");
  return {json.items[0].value, json.items[1].value, json.items[2].value};
}

std::string json_state(const State& s) {
  return "{\"position\":[" + number(s.position.x) + "," + number(s.position.y) + "," + number(s.position.z) +
         "],\"rotation\":[0," + number(std::sin(s.yaw / 2)) + ",0," + number(std::cos(s.yaw / 2)) + "]}";
}

std::string json_shape(const Camera& camera) {
  const char* channels = camera.type == "rgb" ? ",3]" : ",1]";
  return "[" + std::to_string(camera.height) + "," + std::to_string(camera.width) + channels;
}

class Session {
 public:
  explicit Session(const Json& setup) {
    const Json &body = setup["body"], &motion = setup["motion"];
    simulator_ = make_simulator({body.get("radius", 0.1), body.get("camera_height", 1.25),
                                 motion.get("forward_step", 0.25), motion.get("turn_angle", 0.2618)});
    for (const auto& [name, wanted] : setup["sensors"].fields) {
      int width = wanted.get("width", 0), height = wanted.get("height", 0);
      bool known = wanted["type"].string == "rgb" || wanted["type"].string == "depth";
      if (known && std::min(width, height) > 0 && std::max(width, height) <= 8192)
        cameras_[name] = {wanted["type"].string, width, height, wanted.get("hfov", 1.5707963)};
    }
  }

  std::string specs() const {
    std::string out;
    for (const auto& [name, camera] : cameras_) {
      out += (out.empty() ? "" : ",") + quoted(name) + ":{\"kind\":\"tensor\",\"shape\":" + json_shape(camera) +
             (camera.type == "rgb" ? ",\"dtype\":\"uint8\",\"low\":0,\"high\":255}"
                                   : ",\"dtype\":\"float32\",\"low\":0,\"unit\":\"m\"}");
    }
    return "{\"observation_spec\":{" + out + "}}";
  }

  std::string observe(std::string& payload) const {
    std::string out;
    for (const auto& [name, camera] : cameras_) {
      std::vector<uint8_t> rgb;
      std::vector<float> depth;
      simulator_->draw(camera, rgb, depth);
      bool colour = camera.type == "rgb";
      size_t offset = payload.size(), bytes = colour ? rgb.size() : depth.size() * sizeof(float);
      payload.append(colour ? reinterpret_cast<char*>(rgb.data()) : reinterpret_cast<char*>(depth.data()), bytes);
      out += (out.empty() ? "" : ",") + quoted(name) + ":{\"dtype\":" + (colour ? "\"uint8\"" : "\"float32\"") +
             ",\"shape\":" + json_shape(camera) + ",\"encoding\":\"raw\",\"offset\":" + std::to_string(offset) +
             ",\"nbytes\":" + std::to_string(bytes) + "}";
    }
    return "{\"observation\":{" + out + "}}";
  }

  Simulator& simulator() { return *simulator_; }

 private:
  std::unique_ptr<Simulator> simulator_;
  std::map<std::string, Camera> cameras_;
};

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  ~Connection() { close(socket_); }

  void serve() {
    for (std::string header, payload; read_frame(header); payload.clear()) {
      std::string out = answer(header, payload);
      uint32_t length = out.size();
      unsigned char prefix[4] = {uint8_t(length), uint8_t(length >> 8), uint8_t(length >> 16), uint8_t(length >> 24)};
      if (!write(prefix, 4) || !write(out.data(), out.size()) || !write(payload.data(), payload.size())) return;
    }
  }

 private:
  std::string answer(const std::string& header, std::string& payload) {
    std::string id = "0";
    try {
      Json request = Parser(header).parse();
      id = std::to_string(int64_t(request.get("id", 0)));
      std::string body = call(request["call"].string, request["body"], payload);
      return "{\"id\":" + id + ",\"body\":" + body + ",\"payload\":" + std::to_string(payload.size()) + "}";
    } catch (const std::exception& error) {
      payload.clear();
      return "{\"id\":" + id + ",\"problem\":{\"code\":\"internal\",\"detail\":" + quoted(error.what()) + "}}";
    }
  }

  std::string call(const std::string& name, const Json& body, std::string& payload) {
    const std::string& id = body["session_id"].string;
    if (name == "describe") return description;
    if (name == "open") return (sessions_[id] = std::make_unique<Session>(body))->specs();
    if (name == "close") return sessions_.erase(id), "{}";
    auto found = sessions_.find(id);
    if (found == sessions_.end()) throw std::runtime_error("open a session first");
    Session& session = *found->second;
    Simulator& simulator = session.simulator();
    if (name == "observe") return session.observe(payload);
    if (name == "state") return json_state(simulator.state());
    if (name == "start") return start(simulator, body);
    if (name == "advance") {
      Step step = simulator.advance(body["action"].string);
      return "{\"state\":" + json_state(step.state) + ",\"collided\":" + (step.collided ? "true}" : "false}");
    }
    if (name == "distance") {
      std::vector<Vec3> ends;
      for (const Json& end : body["ends"].items) ends.push_back(vec3(end["position"]));
      double meters = simulator.distance(vec3(body["start"]["position"]), ends);
      return "{\"meters\":" + (std::isfinite(meters) ? number(meters) : "null") + "}";
    }
    if (name == "is_navigable")
      return std::string("{\"navigable\":") + (simulator.navigable(vec3(body["position"])) ? "true}" : "false}");
    throw std::runtime_error("this simulator has no call " + name);
  }

  static std::string start(Simulator& simulator, const Json& body) {
    const auto& q = body["start_rotation"].items;
    double yaw = q.size() == 4 ? 2 * std::atan2(q[1].value, q[3].value) : 0;
    bool placed = body["start_position"].kind == Json::list;
    Vec3 position = placed ? vec3(body["start_position"]) : Vec3{};
    return json_state(simulator.start(body["scene_id"].string, placed ? &position : nullptr, yaw));
  }

  bool read_frame(std::string& header) {
    unsigned char prefix[4];
    if (!read(prefix, 4)) return false;
    uint32_t length = prefix[0] | prefix[1] << 8 | prefix[2] << 16 | uint32_t(prefix[3]) << 24;
    if (length == 0 || length > 1u << 24) return false;
    header.resize(length);
    return read(header.data(), length);
  }
  bool read(void* into, size_t size) { return recv(socket_, into, size, MSG_WAITALL) == ssize_t(size); }
  bool write(const void* from, size_t size) {
    ssize_t sent = 1;
    for (auto at = static_cast<const char*>(from); size && sent > 0; at += sent, size -= sent)
      sent = send(socket_, at, size, MSG_NOSIGNAL);
    return sent > 0;
  }

  int socket_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
};

int main(int count, char** words) {
  int port = 0;
  if (const char* given = std::getenv("NAVEVAL_SIMULATOR_PORT")) port = std::atoi(given);
  for (int i = 1; i + 1 < count; ++i)
    if (std::string(words[i]) == "--port") port = std::atoi(words[i + 1]);
  int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);  // there is no password: keep it on this machine
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 16) != 0)
    return std::perror("the port cannot be used"), 1;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::cout << "listening on 127.0.0.1:" << ntohs(address.sin_port) << std::endl;
  if (std::getenv("NAVEVAL_SIMULATOR_STDIN"))  // started by the evaluator: end when it does
    std::thread([] { while (std::cin.get() != EOF) {} std::_Exit(0); }).detach();
  for (;;) {
    int accepted = accept(listener, nullptr, nullptr);
    if (accepted < 0) continue;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    std::thread([accepted] { Connection(accepted).serve(); }).detach();
  }
}

// ---------------------------------------------------------------- 3. the world: replace this

const char* const description =
    "{\"name\":\"cpp_walls\",\"version\":\"1\",\"protocols\":[1],\"max_sessions\":64,"
    "\"actions\":[\"stop\",\"move_forward\",\"turn_left\",\"turn_right\"],\"sensors\":[\"rgb\",\"depth\"],"
    "\"examples\":["
    "{\"scene_id\":\"walls\",\"episode_id\":\"1\",\"start_position\":[-3,0,-1],\"goals\":[[3,0,-3]]},"
    "{\"scene_id\":\"walls\",\"episode_id\":\"2\",\"start_position\":[4,0,4],\"goals\":[[-4,0,0]]}]}";

struct Point { double x, z; };
struct Box { double x0, z0, x1, z1; };

constexpr double half = 5, wall_height = 2.5;
const std::vector<Box> walls = {
    {-6, -6, 6, -5}, {-6, 5, 6, 6}, {-6, -6, -5, 6}, {5, -6, 6, 6},  // the hall, 10 x 10 m
    {-0.1, -5, 0.1, 2},          // across the hall, with a way round its end
    {2, -1, 3, 0.5},             // a block
    {-4.6, -4.6, -2.9, -4.5}, {-4.6, -3, -2.9, -2.9}, {-4.6, -4.6, -4.5, -2.9}, {-3, -4.6, -2.9, -2.9}};  // a closed cell

// The part [in, out] of a -> b that lies in the box, as shares of its length; in > out if there is none.
std::pair<double, double> inside(const Box& box, Point a, Point b) {
  double in = 0, out = 1;
  const double from[2] = {a.x, a.z}, way[2] = {b.x - a.x, b.z - a.z};
  const double low[2] = {box.x0, box.z0}, high[2] = {box.x1, box.z1};
  for (int axis = 0; axis < 2; ++axis) {
    if (std::abs(way[axis]) < 1e-12) {
      if (from[axis] <= low[axis] || from[axis] >= high[axis]) return {1, 0};
      continue;
    }
    double s = (low[axis] - from[axis]) / way[axis], t = (high[axis] - from[axis]) / way[axis];
    in = std::max(in, std::min(s, t)), out = std::min(out, std::max(s, t));
  }
  return {in, out};
}

class Walls : public Simulator {
 public:
  explicit Walls(const Agent& agent) : agent_(agent) {
    double r = agent.radius;
    for (const Box& wall : walls) grown_.push_back({wall.x0 - r, wall.z0 - r, wall.x1 + r, wall.z1 + r});
    for (const Box& box : grown_)
      for (Point corner : {Point{box.x0, box.z0}, {box.x1, box.z0}, {box.x0, box.z1}, {box.x1, box.z1}})
        if (free(corner)) corners_.push_back(corner);
  }

  State start(const std::string& scene, const Vec3* position, double yaw) override {
    if (scene != "walls") throw std::runtime_error("there is no scene " + scene + ", only walls");
    at_ = position ? Point{position->x, position->z} : Point{-3, -1};
    yaw_ = yaw;
    return state();
  }

  Step advance(const std::string& action) override {
    double dx = -std::sin(yaw_) * agent_.forward_step, dz = -std::cos(yaw_) * agent_.forward_step;
    if (action == "move_forward") return {go(dx, dz), state()};
    if (action == "turn_left") yaw_ += agent_.turn_angle;
    else if (action == "turn_right") yaw_ -= agent_.turn_angle;
    else if (action != "stop") throw std::runtime_error("this simulator has no action " + action);
    return {false, state()};
  }

  State state() const override { return {{at_.x, 0, at_.z}, yaw_}; }

  bool navigable(Vec3 p) const override { return std::abs(p.y) < 0.5 && free({p.x, p.z}); }

  // Shortest way over the corners of the grown walls (a visibility graph), Dijkstra from the start.
  double distance(Vec3 from, const std::vector<Vec3>& ends) const override {
    std::vector<Point> points = {{from.x, from.z}};
    points.insert(points.end(), corners_.begin(), corners_.end());
    size_t first_end = points.size();
    for (Vec3 end : ends)
      if (navigable(end)) points.push_back({end.x, end.z});
    std::vector<double> length(points.size(), std::numeric_limits<double>::infinity());
    std::set<std::pair<double, size_t>> open = {{0, 0}};
    while (!open.empty()) {
      auto [so_far, here] = *open.begin();
      open.erase(open.begin());
      if (here >= first_end) return so_far;
      for (size_t there = 1; there < points.size(); ++there) {
        double through = so_far + std::hypot(points[there].x - points[here].x, points[there].z - points[here].z);
        if (through < length[there] && clear(points[here], points[there])) {
          open.erase({length[there], there});
          open.insert({length[there] = through, there});
        }
      }
    }
    return std::numeric_limits<double>::infinity();
  }

  void draw(const Camera& camera, std::vector<uint8_t>& rgb, std::vector<float>& depth) const override {
    int width = camera.width, height = camera.height;
    double wide = std::tan(camera.hfov / 2), tall = wide * height / width;
    rgb.resize(size_t(width) * height * 3);
    depth.resize(size_t(width) * height);
    for (int column = 0; column < width; ++column) {
      double side = (2 * (column + 0.5) / width - 1) * wide;
      Point ray{-std::sin(yaw_) + side * std::cos(yaw_), -std::cos(yaw_) - side * std::sin(yaw_)};
      auto [wall, shade] = hit(ray);
      for (int row = 0; row < height; ++row) {
        double slope = (1 - 2 * (row + 0.5) / height) * tall, eye = agent_.camera_height;
        double z = wall, at_wall = eye + slope * wall;
        uint8_t colour[3] = {uint8_t(60 + shade), uint8_t(90 + shade), 140};
        if (at_wall < 0 || at_wall > wall_height) {
          z = slope < 0 ? eye / -slope : (wall_height - eye) / slope;
          int tile = int(std::floor(at_.x + ray.x * z)) + int(std::floor(at_.z + ray.z * z));
          std::fill(colour, colour + 3, uint8_t(slope > 0 ? 230 : tile & 1 ? 120 : 160));
        }
        depth[size_t(row) * width + column] = float(z);
        std::copy(colour, colour + 3, &rgb[3 * (size_t(row) * width + column)]);
      }
    }
  }

 private:
  bool free(Point p) const {
    return std::abs(p.x) < half && std::abs(p.z) < half && std::none_of(grown_.begin(), grown_.end(), [&](const Box& b) {
      return p.x > b.x0 + 1e-9 && p.x < b.x1 - 1e-9 && p.z > b.z0 + 1e-9 && p.z < b.z1 - 1e-9;
    });
  }

  bool clear(Point a, Point b) const {
    return std::none_of(grown_.begin(), grown_.end(), [&](const Box& box) {
      auto [in, out] = inside({box.x0 + 1e-7, box.z0 + 1e-7, box.x1 - 1e-7, box.z1 - 1e-7}, a, b);
      return out > in;
    });
  }

  // As far towards the target as the walls let it; true if that is not all the way.
  bool go(double dx, double dz) {
    Point target{at_.x + dx, at_.z + dz};
    double share = 1;
    for (const Box& box : grown_) {
      auto [in, out] = inside(box, at_, target);
      if (out > in) share = std::min(share, in);
    }
    if (share < 1) share = std::max(0.0, share - 1e-4 / std::hypot(dx, dz));
    at_ = {at_.x + share * dx, at_.z + share * dz};
    return share < 1;
  }

  // How many rays' lengths away the nearest wall is (planar depth), and its shade.
  std::pair<double, int> hit(Point ray) const {
    Point end{at_.x + ray.x * 100, at_.z + ray.z * 100};
    double nearest = 100;
    int shade = 0;
    for (size_t i = 0; i < walls.size(); ++i) {
      auto [in, out] = inside(walls[i], at_, end);
      if (out > in && in * 100 < nearest) nearest = in * 100, shade = 20 * (int(i) + 1);
    }
    return {nearest, shade};
  }

  Agent agent_;
  std::vector<Box> grown_;
  std::vector<Point> corners_;
  Point at_{-3, -1};
  double yaw_ = 0;
};

std::unique_ptr<Simulator> make_simulator(const Agent& agent) { return std::make_unique<Walls>(agent); }
