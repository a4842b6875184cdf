// The agent: walks on the baked NavMesh, sees through one camera. It is moved by nav_eval alone, so it needs neither a
// NavMeshAgent nor a Rigidbody.
using System;
using System.Collections.Generic;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace NavEval.Unity
{
    public class NavEvalAgent : MonoBehaviour, ISimulator
    {
        public Camera eye;
        [Tooltip("Where the conformance check walks to")]
        public Transform exampleGoal;

        Setup setup = new Setup();
        CameraCapture capture;
        Vector3 position;
        double yaw, elevation;

        /// <summary>A session begins with this body and these cameras.</summary>
        public ISimulator Begin(Setup wanted)
        {
            setup = wanted;
            capture = capture ?? new CameraCapture(eye);
            position = transform.position;
            return this;
        }

        public Pose State => new Pose { Position = Frames.FromUnity(position), Yaw = yaw, Elevation = elevation };

        public Pose Start(Episode episode)
        {
            PrepareScene(episode.Scene);
            position = NavMeshWays.Ground(episode.Start.HasValue ? Frames.ToUnity(episode.Start.Value) : transform.position);
            yaw = episode.Yaw;
            elevation = 0;
            return State;
        }

        /// <summary>Override it to load scenes by name; by default the scene is the one that is open.</summary>
        protected virtual void PrepareScene(string scene)
        {
            string open = SceneManager.GetActiveScene().name;
            if (scene != open) throw new InvalidOperationException($"the open scene is {open}, not {scene}");
        }

        public StepResult Advance(string action)
        {
            bool collided = false;
            if (action == "move_forward") collided = Walk((float)setup.ForwardStep);
            if (action == "turn_left") yaw += setup.TurnAngle;
            if (action == "turn_right") yaw -= setup.TurnAngle;
            if (action == "look_up") elevation = Math.Min(elevation + setup.TiltAngle, setup.MaxTilt);
            if (action == "look_down") elevation = Math.Max(elevation - setup.TiltAngle, -setup.MaxTilt);
            return new StepResult { Pose = State, Collided = collided };
        }

        bool Walk(float step)
        {
            Vector3 way = Frames.ToUnity(yaw) * Vector3.forward * step;
            position = NavMeshWays.Move(position, way, setup.Sliding, out bool collided);
            return collided;
        }

        public byte[] Draw(CameraRequest camera)
        {
            transform.SetPositionAndRotation(position, Frames.ToUnity(yaw));
            eye.transform.localPosition = new Vector3(0, (float)setup.CameraHeight, 0);
            eye.transform.localRotation = Quaternion.Euler((float)(-elevation * Mathf.Rad2Deg), 0, 0);
            return capture.Draw(camera);
        }

        public double Distance(Vec3 from, IList<Vec3> ends)
        {
            double nearest = double.PositiveInfinity;
            foreach (Vec3 end in ends) nearest = Math.Min(nearest, NavMeshWays.Length(Frames.ToUnity(from), Frames.ToUnity(end)));
            return nearest;
        }

        public bool IsNavigable(Vec3 place)
        {
            return NavMeshWays.IsOn(Frames.ToUnity(place));
        }

        public void Close()
        {
        }
    }
}
