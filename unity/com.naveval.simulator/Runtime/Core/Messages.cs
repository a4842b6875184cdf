// Between JSON and the types of the contract.
using System;
using System.Collections.Generic;

namespace NavEval
{
    static class Messages
    {
        public static Setup ReadSetup(object body)
        {
            object shape = Json.Get(body, "body"), motion = Json.Get(body, "motion");
            var setup = new Setup();
            setup.Height = Json.Number(shape, "height", setup.Height);
            setup.Radius = Json.Number(shape, "radius", setup.Radius);
            setup.CameraHeight = Json.Number(shape, "camera_height", setup.CameraHeight);
            setup.MaxClimb = Json.Number(shape, "max_climb", setup.MaxClimb);
            setup.MaxSlope = Json.Number(shape, "max_slope", setup.MaxSlope);
            setup.ForwardStep = Json.Number(motion, "forward_step", setup.ForwardStep);
            setup.TurnAngle = Json.Number(motion, "turn_angle", setup.TurnAngle);
            setup.TiltAngle = Json.Number(motion, "tilt_angle", setup.TiltAngle);
            setup.MaxTilt = Json.Number(motion, "max_tilt", setup.MaxTilt);
            setup.Sliding = !(Json.Get(motion, "sliding") is bool sliding) || sliding;
            foreach (KeyValuePair<string, object> wanted in Fields(Json.Get(body, "sensors"))) AddCamera(setup, wanted.Key, wanted.Value);
            return setup;
        }

        static void AddCamera(Setup setup, string name, object wanted)
        {
            var camera = new CameraRequest
            {
                Type = Json.Text(wanted, "type"),
                Width = (int)Json.Number(wanted, "width", 0),
                Height = (int)Json.Number(wanted, "height", 0),
                HFov = Json.Number(wanted, "hfov", Math.PI / 2),
            };
            bool fits = Math.Min(camera.Width, camera.Height) > 0 && Math.Max(camera.Width, camera.Height) <= 8192;
            if (fits && (camera.Type == "rgb" || camera.Type == "depth")) setup.Cameras[name] = camera;
        }

        public static Episode ReadEpisode(object body)
        {
            var episode = new Episode { Scene = Json.Text(body, "scene_id"), Id = Json.Text(body, "episode_id") };
            if (Json.Get(body, "start_position") is List<object> start) episode.Start = ReadVec3(start);
            if (Json.Get(body, "start_rotation") is List<object> q && q.Count == 4) episode.Yaw = 2 * Math.Atan2((double)q[1], (double)q[3]);
            foreach (object goal in Items(Json.Get(body, "goals"))) episode.Goals.Add(ReadVec3(goal));
            return episode;
        }

        public static Vec3 ReadPlace(object place)
        {
            return ReadVec3(Json.Get(place, "position"));
        }

        public static Vec3 ReadVec3(object value)
        {
            if (!(value is List<object> numbers) || numbers.Count != 3) throw new FormatException("a position has three numbers");
            return new Vec3((double)numbers[0], (double)numbers[1], (double)numbers[2]);
        }

        public static IEnumerable<object> Items(object list)
        {
            return list as List<object> ?? new List<object>();
        }

        static Dictionary<string, object> Fields(object json)
        {
            return json as Dictionary<string, object> ?? new Dictionary<string, object>();
        }

        public static Dictionary<string, object> Write(Pose pose)
        {
            return new Dictionary<string, object>
            {
                ["position"] = Write(pose.Position),
                ["rotation"] = Rotation(pose.Yaw),
                ["elevation"] = pose.Elevation,
            };
        }

        static double[] Write(Vec3 v)
        {
            return new[] { v.X, v.Y, v.Z };
        }

        static double[] Rotation(double yaw)
        {
            return new[] { 0, Math.Sin(yaw / 2), 0, Math.Cos(yaw / 2) };
        }

        public static Dictionary<string, object> Write(SimulatorInfo info)
        {
            return new Dictionary<string, object>
            {
                ["name"] = info.Name,
                ["version"] = info.Version,
                ["protocols"] = new[] { 1 },
                ["actions"] = info.Actions,
                ["sensors"] = info.Sensors,
                ["max_sessions"] = info.MaxSessions,
                ["examples"] = info.Examples.ConvertAll(Write),
            };
        }

        static object Write(Episode episode)
        {
            return new Dictionary<string, object>
            {
                ["scene_id"] = episode.Scene,
                ["episode_id"] = episode.Id,
                ["start_position"] = episode.Start.HasValue ? Write(episode.Start.Value) : null,
                ["start_rotation"] = Rotation(episode.Yaw),
                ["goals"] = episode.Goals.ConvertAll(Write),
            };
        }

        public static Dictionary<string, object> Spec(CameraRequest camera)
        {
            bool rgb = camera.Type == "rgb";
            var spec = new Dictionary<string, object>
            {
                ["kind"] = "tensor",
                ["shape"] = Shape(camera),
                ["dtype"] = Dtype(camera),
                ["low"] = 0,
            };
            if (rgb) spec["high"] = 255;
            return spec;
        }

        public static Dictionary<string, object> Tensor(CameraRequest camera, long offset, int bytes)
        {
            return new Dictionary<string, object>
            {
                ["dtype"] = Dtype(camera),
                ["shape"] = Shape(camera),
                ["encoding"] = "raw",
                ["offset"] = offset,
                ["nbytes"] = bytes,
            };
        }

        static int[] Shape(CameraRequest camera)
        {
            return new[] { camera.Height, camera.Width, camera.Type == "rgb" ? 3 : 1 };
        }

        static string Dtype(CameraRequest camera)
        {
            return camera.Type == "rgb" ? "uint8" : "float32";
        }
    }
}
