// Serves this scene: put it on any object, give it the agent. Players take their port from -naveval-port.
// Calls come from socket threads and are carried out here, on Unity's main thread.
using System;
using System.Collections.Concurrent;
using System.Threading;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace NavEval.Unity
{
    public sealed class NavEvalServer : MonoBehaviour
    {
        const int EditorPort = 9460;
        const int PatienceMilliseconds = 10;

        [Tooltip("Port of the editor; a player is given its own by -naveval-port")]
        public int port = EditorPort;
        public NavEvalAgent agent;

        readonly BlockingCollection<Action> calls = new BlockingCollection<Action>();
        SimulatorServer server;

        void Start()
        {
            Application.runInBackground = true;
            QualitySettings.vSyncCount = 0;
            server = new SimulatorServer(Describe(), agent.Begin, OnMainThread, PortFromArguments());
            Debug.Log($"nav_eval: listening on 127.0.0.1:{server.Port}");
            if (Application.isBatchMode) Console.WriteLine($"listening on 127.0.0.1:{server.Port}");
        }

        SimulatorInfo Describe()
        {
            var info = new SimulatorInfo
            {
                Name = "unity " + Application.productName,
                Version = Application.version,
                Actions = new[] { "stop", "move_forward", "turn_left", "turn_right", "look_up", "look_down" },
            };
            var example = new Episode { Scene = SceneManager.GetActiveScene().name, Id = "1", Start = Frames.FromUnity(agent.transform.position) };
            if (agent.exampleGoal != null) example.Goals.Add(Frames.FromUnity(agent.exampleGoal.position));
            info.Examples.Add(example);
            return info;
        }

        int PortFromArguments()
        {
            string[] words = Environment.GetCommandLineArgs();
            int at = Array.IndexOf(words, "-naveval-port");
            return at >= 0 && at + 1 < words.Length ? int.Parse(words[at + 1]) : port;
        }

        void OnMainThread(Action call)
        {
            using (var done = new ManualResetEventSlim())
            {
                calls.Add(() =>
                {
                    call();
                    done.Set();
                });
                done.Wait();
            }
        }

        // A step is several calls: wait a little for the next one, so that they need not wait for a frame each.
        void Update()
        {
            while (calls.TryTake(out Action call, PatienceMilliseconds)) call();
        }

        void OnDestroy()
        {
            server?.Dispose();
        }
    }
}
