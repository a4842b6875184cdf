// What a simulator is to nav_eval. Frames: y up, metres, radians, the agent looks along -z, positive yaw = left.
// Unity's own frame is left-handed and looks along +z: NavEval.Frames converts.
using System.Collections.Generic;

namespace NavEval
{
    public struct Vec3
    {
        public double X, Y, Z;

        public Vec3(double x, double y, double z)
        {
            X = x;
            Y = y;
            Z = z;
        }
    }

    public struct Pose
    {
        public Vec3 Position;
        public double Yaw;

        /// <summary>The camera's tilt, positive = up.</summary>
        public double Elevation;
    }

    public struct StepResult
    {
        public Pose Pose;
        public bool Collided;
    }

    /// <summary>A camera that the evaluator wants: "rgb" or "depth", pixels, horizontal field of view in rad.</summary>
    public sealed class CameraRequest
    {
        public string Type;
        public int Width, Height;
        public double HFov;
    }

    /// <summary>The agent's body, its motion and its cameras, by the names that the evaluator gave them.</summary>
    public sealed class Setup
    {
        public double Height = 1.5, Radius = 0.1, CameraHeight = 1.25, MaxClimb = 0.2, MaxSlope = 0.785398;
        public double ForwardStep = 0.25, TurnAngle = 0.261799, TiltAngle = 0.523599, MaxTilt = 1.047198;
        public bool Sliding = true;
        public Dictionary<string, CameraRequest> Cameras = new Dictionary<string, CameraRequest>();
    }

    /// <summary>Where an episode begins; Start is null where the simulator chooses.</summary>
    public sealed class Episode
    {
        public string Scene, Id;
        public Vec3? Start;
        public double Yaw;
        public List<Vec3> Goals = new List<Vec3>();
    }

    /// <summary>What a simulator says of itself. Examples let `nav-eval simulator check` begin.</summary>
    public sealed class SimulatorInfo
    {
        public string Name = "", Version = "";
        public string[] Actions = { "stop", "move_forward", "turn_left", "turn_right" };
        public string[] Sensors = { "rgb", "depth" };
        public int MaxSessions = 1;
        public List<Episode> Examples = new List<Episode>();
    }

    /// <summary>One agent in one world. An exception becomes the message of the evaluator's SimulatorError.</summary>
    public interface ISimulator
    {
        /// <summary>Load the scene and put the agent at the start; twice the same episode is twice the same world.</summary>
        Pose Start(Episode episode);

        /// <summary>Carry out one action of SimulatorInfo.Actions; stop moves nothing.</summary>
        StepResult Advance(string action);

        Pose State { get; }

        /// <summary>rgb: H x W x 3 bytes; depth: H x W little-endian floats, metres along the optical axis, 0 = nothing.
        /// Row 0 is the top.</summary>
        byte[] Draw(CameraRequest camera);

        /// <summary>Metres of the shortest walkable way to the nearest end; infinity where there is none.</summary>
        double Distance(Vec3 from, IList<Vec3> ends);

        bool IsNavigable(Vec3 position);

        void Close();
    }
}
