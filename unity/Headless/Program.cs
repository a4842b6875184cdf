// A simulator in plain .NET, without Unity: what the tests of the core run as a process of its own.
using System;
using System.Collections.Generic;
using System.Threading;

namespace NavEval.Headless
{
    static class Program
    {
        static int Main(string[] words)
        {
            int at = Array.IndexOf(words, "-naveval-port");
            int port = at >= 0 && at + 1 < words.Length ? int.Parse(words[at + 1]) : 0;
            var info = new SimulatorInfo { Name = "csharp_walls", Version = "1", MaxSessions = 64 };
            info.Examples.Add(Example("1", new Vec3(-3, 0, -1), new Vec3(3, 0, -3)));
            info.Examples.Add(Example("2", new Vec3(4, 0, 4), new Vec3(-4, 0, 0)));
            var server = new SimulatorServer(info, setup => new Walls(setup), call => call(), port);
            Console.WriteLine($"listening on 127.0.0.1:{server.Port}");
            if (Environment.GetEnvironmentVariable("NAVEVAL_SIMULATOR_STDIN") == null) Thread.Sleep(Timeout.Infinite);
            while (Console.In.Read() >= 0) continue;
            return 0;
        }

        static Episode Example(string id, Vec3 start, Vec3 goal)
        {
            return new Episode { Scene = "walls", Id = id, Start = start, Goals = new List<Vec3> { goal } };
        }
    }
}
