// A hall of 10 x 10 m with walls, seen from above: motion that stops at walls, shortest ways over their corners, and
// a camera that casts a ray per column. The same world as examples/cpp_host builds.
using System;
using System.Collections.Generic;

namespace NavEval.Headless
{
    struct Box
    {
        public double X0, Z0, X1, Z1;

        public Box(double x0, double z0, double x1, double z1)
        {
            X0 = x0;
            Z0 = z0;
            X1 = x1;
            Z1 = z1;
        }

        public Box Grown(double by)
        {
            return new Box(X0 - by, Z0 - by, X1 + by, Z1 + by);
        }

        public bool Contains(double x, double z)
        {
            return x > X0 && x < X1 && z > Z0 && z < Z1;
        }

        /// <summary>The part of a segment inside, as shares of its length; leave is less than enter if there is none.</summary>
        public void Cut(double x, double z, double dx, double dz, out double enter, out double leave)
        {
            enter = 0;
            leave = 1;
            Slab(x, dx, X0, X1, ref enter, ref leave);
            Slab(z, dz, Z0, Z1, ref enter, ref leave);
        }

        static void Slab(double from, double way, double low, double high, ref double enter, ref double leave)
        {
            if (Math.Abs(way) < 1e-12)
            {
                if (from <= low || from >= high) leave = -1;
                return;
            }
            double s = (low - from) / way, t = (high - from) / way;
            enter = Math.Max(enter, Math.Min(s, t));
            leave = Math.Min(leave, Math.Max(s, t));
        }
    }

    sealed class Walls : ISimulator
    {
        const double Half = 5, WallHeight = 2.5, Reach = 100;

        static readonly Box[] All =
        {
            new Box(-6, -6, 6, -5), new Box(-6, 5, 6, 6), new Box(-6, -6, -5, 6), new Box(5, -6, 6, 6),
            new Box(-0.1, -5, 0.1, 2), new Box(2, -1, 3, 0.5),
            new Box(-4.6, -4.6, -2.9, -4.5), new Box(-4.6, -3, -2.9, -2.9), new Box(-4.6, -4.6, -4.5, -2.9), new Box(-3, -4.6, -2.9, -2.9),
        };

        readonly Setup setup;
        readonly Box[] grown;
        readonly List<Vec3> corners = new List<Vec3>();
        double x = -3, z = -1, yaw;

        public Walls(Setup setup)
        {
            this.setup = setup;
            grown = Array.ConvertAll(All, box => box.Grown(setup.Radius));
            foreach (Box box in grown)
            {
                foreach (double cornerX in new[] { box.X0, box.X1 })
                {
                    foreach (double cornerZ in new[] { box.Z0, box.Z1 }) AddCorner(new Vec3(cornerX, 0, cornerZ));
                }
            }
        }

        void AddCorner(Vec3 corner)
        {
            if (IsNavigable(corner)) corners.Add(corner);
        }

        public Pose State => new Pose { Position = new Vec3(x, 0, z), Yaw = yaw };

        public Pose Start(Episode episode)
        {
            if (episode.Scene != "walls") throw new InvalidOperationException($"there is no scene {episode.Scene}, only walls");
            Vec3 start = episode.Start ?? new Vec3(-3, 0, -1);
            x = start.X;
            z = start.Z;
            yaw = episode.Yaw;
            return State;
        }

        public StepResult Advance(string action)
        {
            bool collided = false;
            if (action == "turn_left") yaw += setup.TurnAngle;
            if (action == "turn_right") yaw -= setup.TurnAngle;
            if (action == "move_forward") collided = Go(-Math.Sin(yaw) * setup.ForwardStep, -Math.Cos(yaw) * setup.ForwardStep);
            return new StepResult { Pose = State, Collided = collided };
        }

        bool Go(double dx, double dz)
        {
            double share = 1;
            foreach (Box box in grown)
            {
                box.Cut(x, z, dx, dz, out double enter, out double leave);
                if (leave > enter) share = Math.Min(share, enter);
            }
            bool blocked = share < 1;
            if (blocked) share = Math.Max(0, share - 1e-4 / setup.ForwardStep);
            x += share * dx;
            z += share * dz;
            return blocked;
        }

        public bool IsNavigable(Vec3 p)
        {
            if (Math.Abs(p.X) >= Half || Math.Abs(p.Z) >= Half || Math.Abs(p.Y) >= 0.5) return false;
            return !Array.Exists(grown, box => box.Grown(-1e-9).Contains(p.X, p.Z));
        }

        bool Clear(Vec3 a, Vec3 b)
        {
            foreach (Box box in grown)
            {
                box.Grown(-1e-7).Cut(a.X, a.Z, b.X - a.X, b.Z - a.Z, out double enter, out double leave);
                if (leave > enter) return false;
            }
            return true;
        }

        // Dijkstra over the corners of the grown walls; the last points are the ends.
        public double Distance(Vec3 from, IList<Vec3> ends)
        {
            var points = new List<Vec3>(corners);
            foreach (Vec3 end in ends) if (IsNavigable(end)) points.Add(end);
            var length = new double[points.Count];
            for (int i = 0; i < points.Count; i++) length[i] = Clear(from, points[i]) ? Flat(from, points[i]) : double.PositiveInfinity;
            var done = new bool[points.Count];
            while (true)
            {
                int here = Nearest(length, done);
                if (here < 0) return double.PositiveInfinity;
                if (here >= corners.Count) return length[here];
                done[here] = true;
                for (int i = 0; i < points.Count; i++)
                {
                    double through = length[here] + Flat(points[here], points[i]);
                    if (through < length[i] && Clear(points[here], points[i])) length[i] = through;
                }
            }
        }

        static int Nearest(double[] length, bool[] done)
        {
            int best = -1;
            for (int i = 0; i < length.Length; i++)
            {
                if (!done[i] && !double.IsInfinity(length[i]) && (best < 0 || length[i] < length[best])) best = i;
            }
            return best;
        }

        static double Flat(Vec3 a, Vec3 b)
        {
            return Math.Sqrt((a.X - b.X) * (a.X - b.X) + (a.Z - b.Z) * (a.Z - b.Z));
        }

        public byte[] Draw(CameraRequest camera)
        {
            bool rgb = camera.Type == "rgb";
            int size = rgb ? 3 : 4;
            var image = new byte[camera.Width * camera.Height * size];
            double wide = Math.Tan(camera.HFov / 2), tall = wide * camera.Height / camera.Width;
            for (int column = 0; column < camera.Width; column++)
            {
                double side = (2 * (column + 0.5) / camera.Width - 1) * wide;
                double rayX = -Math.Sin(yaw) + side * Math.Cos(yaw), rayZ = -Math.Cos(yaw) - side * Math.Sin(yaw);
                double wall = Hit(rayX, rayZ, out int shade);
                for (int row = 0; row < camera.Height; row++)
                {
                    double slope = (1 - 2 * (row + 0.5) / camera.Height) * tall;
                    double depth = Depth(wall, slope);
                    byte[] pixel = rgb ? Colour(rayX, rayZ, wall, depth, slope, shade) : BitConverter.GetBytes((float)depth);
                    Array.Copy(pixel, 0, image, (row * camera.Width + column) * size, size);
                }
            }
            return image;
        }

        double Depth(double wall, double slope)
        {
            double atWall = setup.CameraHeight + slope * wall;
            if (atWall >= 0 && atWall <= WallHeight) return wall;
            return slope < 0 ? setup.CameraHeight / -slope : (WallHeight - setup.CameraHeight) / slope;
        }

        byte[] Colour(double rayX, double rayZ, double wall, double depth, double slope, int shade)
        {
            if (depth >= wall) return new[] { (byte)(60 + shade), (byte)(90 + shade), (byte)140 };
            if (slope > 0) return new byte[] { 230, 230, 230 };
            int tile = (int)Math.Floor(x + rayX * depth) + (int)Math.Floor(z + rayZ * depth);
            byte light = (byte)((tile & 1) == 0 ? 160 : 120);
            return new[] { light, light, light };
        }

        // Planar depth of the nearest wall along a ray whose part along the view is 1.
        double Hit(double rayX, double rayZ, out int shade)
        {
            double nearest = Reach;
            shade = 0;
            for (int i = 0; i < All.Length; i++)
            {
                All[i].Cut(x, z, rayX * Reach, rayZ * Reach, out double enter, out double leave);
                if (leave <= enter || enter * Reach >= nearest) continue;
                nearest = enter * Reach;
                shade = 12 * (i + 1);
            }
            return nearest;
        }

        public void Close()
        {
        }
    }
}
