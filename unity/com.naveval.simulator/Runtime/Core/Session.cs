// The calls of one session, from JSON to ISimulator and back.
using System;
using System.Collections.Generic;

namespace NavEval
{
    sealed class Session
    {
        readonly ISimulator simulator;
        readonly Setup setup;
        readonly SimulatorInfo info;

        public Session(ISimulator simulator, Setup setup, SimulatorInfo info)
        {
            this.simulator = simulator;
            this.setup = setup;
            this.info = info;
        }

        /// <summary>Also right for a session whose simulator could not be made.</summary>
        public bool Close()
        {
            simulator?.Close();
            return true;
        }

        public Dictionary<string, object> Call(string name, object body, List<byte[]> payload)
        {
            switch (name)
            {
                case "start": return Messages.Write(simulator.Start(Messages.ReadEpisode(body)));
                case "advance": return Advance(Json.Text(body, "action"));
                case "observe": return Observe(payload);
                case "state": return Messages.Write(simulator.State);
                case "distance": return Distance(body);
                case "is_navigable": return One("navigable", simulator.IsNavigable(Messages.ReadPlace(body)));
                default: throw new InvalidOperationException("this simulator has no call " + name);
            }
        }

        Dictionary<string, object> Advance(string action)
        {
            if (Array.IndexOf(info.Actions, action) < 0) throw new InvalidOperationException("this simulator has no action " + action);
            StepResult step = simulator.Advance(action);
            return new Dictionary<string, object> { ["state"] = Messages.Write(step.Pose), ["collided"] = step.Collided };
        }

        Dictionary<string, object> Observe(List<byte[]> payload)
        {
            var seen = new Dictionary<string, object>();
            long offset = 0;
            foreach (KeyValuePair<string, CameraRequest> camera in setup.Cameras)
            {
                byte[] bytes = simulator.Draw(camera.Value);
                payload.Add(bytes);
                seen[camera.Key] = Messages.Tensor(camera.Value, offset, bytes.Length);
                offset += bytes.Length;
            }
            return One("observation", seen);
        }

        Dictionary<string, object> Distance(object body)
        {
            var ends = new List<Vec3>();
            foreach (object end in Messages.Items(Json.Get(body, "ends"))) ends.Add(Messages.ReadPlace(end));
            double meters = simulator.Distance(Messages.ReadPlace(Json.Get(body, "start")), ends);
            bool none = double.IsInfinity(meters) || double.IsNaN(meters);
            return One("meters", none ? null : (object)meters);
        }

        static Dictionary<string, object> One(string name, object value)
        {
            return new Dictionary<string, object> { [name] = value };
        }
    }
}
