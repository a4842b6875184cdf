// The socket framing: 4 bytes of little-endian length, a JSON header, raw tensor bytes. A thread per connection;
// the simulator's own calls go through `run`, so that an engine can make them on its main thread.
using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;

namespace NavEval
{
    public sealed class SimulatorServer : IDisposable
    {
        readonly TcpListener listener;
        readonly SimulatorInfo info;
        readonly Func<Setup, ISimulator> make;
        readonly Action<Action> run;
        int sessions;

        /// <summary>Listens on this machine only, because there is no password. Port 0 takes a free one.</summary>
        public SimulatorServer(SimulatorInfo info, Func<Setup, ISimulator> make, Action<Action> run, int port)
        {
            this.info = info;
            this.make = make;
            this.run = run;
            listener = new TcpListener(IPAddress.Loopback, port);
            listener.Start();
            var thread = new Thread(Accept) { IsBackground = true, Name = "nav_eval" };
            thread.Start();
        }

        public int Port => ((IPEndPoint)listener.LocalEndpoint).Port;

        public void Dispose()
        {
            listener.Stop();
        }

        void Accept()
        {
            while (true)
            {
                TcpClient client;
                try
                {
                    client = listener.AcceptTcpClient();
                }
                catch (Exception stopped) when (stopped is SocketException || stopped is ObjectDisposedException || stopped is InvalidOperationException)
                {
                    return;
                }
                client.NoDelay = true;
                var thread = new Thread(() => new Connection(this, client).Serve()) { IsBackground = true };
                thread.Start();
            }
        }

        // On the simulator's thread; what it throws is thrown here.
        T Run<T>(Func<T> work)
        {
            T result = default(T);
            Exception failure = null;
            run(() =>
            {
                try
                {
                    result = work();
                }
                catch (Exception error)
                {
                    failure = error;
                }
            });
            if (failure != null) throw new InvalidOperationException(failure.Message, failure);
            return result;
        }

        sealed class Connection
        {
            const int MaxHeader = 1 << 24;
            readonly SimulatorServer server;
            readonly TcpClient client;
            readonly Dictionary<string, Session> sessions = new Dictionary<string, Session>();

            public Connection(SimulatorServer server, TcpClient client)
            {
                this.server = server;
                this.client = client;
            }

            public void Serve()
            {
                try
                {
                    using (client)
                    using (NetworkStream stream = client.GetStream())
                    {
                        var reader = new BinaryReader(stream);
                        while (true) Answer(stream, ReadHeader(reader));
                    }
                }
                catch (Exception gone) when (gone is IOException || gone is ObjectDisposedException)
                {
                    foreach (string id in new List<string>(sessions.Keys)) CloseForNobody(id);
                }
            }

            // There is no client left to tell.
            void CloseForNobody(string id)
            {
                try
                {
                    Close(id);
                }
                catch (InvalidOperationException failure)
                {
                    Console.Error.WriteLine($"nav_eval: a session could not be closed: {failure.Message}");
                }
            }

            static string ReadHeader(BinaryReader reader)
            {
                uint length = reader.ReadUInt32();
                if (length == 0 || length > MaxHeader) throw new IOException("the length of a header is wrong");
                byte[] header = reader.ReadBytes((int)length);
                if (header.Length != length) throw new EndOfStreamException();
                return Encoding.UTF8.GetString(header);
            }

            void Answer(Stream stream, string header)
            {
                var payload = new List<byte[]>();
                var answer = new Dictionary<string, object> { ["id"] = 0L };
                try
                {
                    object request = Json.Parse(header);
                    answer["id"] = (long)Json.Number(request, "id", 0);
                    answer["body"] = Call(Json.Text(request, "call"), Json.Get(request, "body"), payload);
                    answer["payload"] = payload.ConvertAll(piece => (long)piece.Length).Sum();
                }
                catch (Exception error) when (!(error is IOException))
                {
                    payload.Clear();
                    answer["problem"] = new Dictionary<string, object> { ["code"] = "internal", ["detail"] = error.Message };
                }
                Send(stream, Encoding.UTF8.GetBytes(Json.Write(answer)), payload);
            }

            static void Send(Stream stream, byte[] header, List<byte[]> payload)
            {
                var frame = new MemoryStream();
                var writer = new BinaryWriter(frame);
                writer.Write((uint)header.Length);
                writer.Write(header);
                stream.Write(frame.GetBuffer(), 0, (int)frame.Length);
                foreach (byte[] piece in payload) stream.Write(piece, 0, piece.Length);
            }

            Dictionary<string, object> Call(string name, object body, List<byte[]> payload)
            {
                string id = Json.Text(body, "session_id");
                if (name == "describe") return Messages.Write(server.info);
                if (name == "open") return Open(id, Messages.ReadSetup(body));
                if (name == "close") return Close(id);
                if (!sessions.TryGetValue(id, out Session session)) throw new InvalidOperationException("open a session first");
                return server.Run(() => session.Call(name, body, payload));
            }

            Dictionary<string, object> Open(string id, Setup setup)
            {
                Close(id);
                if (Interlocked.Increment(ref server.sessions) > server.info.MaxSessions)
                {
                    Interlocked.Decrement(ref server.sessions);
                    throw new InvalidOperationException($"it runs {server.info.MaxSessions} sessions at once and all are taken");
                }
                sessions[id] = new Session(null, setup, server.info);
                ISimulator simulator = server.Run(() => server.make(setup));
                sessions[id] = new Session(simulator, setup, server.info);
                var specs = new Dictionary<string, object>();
                foreach (KeyValuePair<string, CameraRequest> camera in setup.Cameras) specs[camera.Key] = Messages.Spec(camera.Value);
                return new Dictionary<string, object> { ["observation_spec"] = specs };
            }

            Dictionary<string, object> Close(string id)
            {
                if (sessions.TryGetValue(id, out Session session))
                {
                    sessions.Remove(id);
                    Interlocked.Decrement(ref server.sessions);
                    server.Run(session.Close);
                }
                return new Dictionary<string, object>();
            }
        }
    }

    static class Numbers
    {
        public static long Sum(this List<long> numbers)
        {
            long sum = 0;
            foreach (long number in numbers) sum += number;
            return sum;
        }
    }
}
