// Ground, steps and shortest ways on Unity's baked NavMesh. Bake it for the agent's radius and height.
using UnityEngine;
using UnityEngine.AI;

namespace NavEval.Unity
{
    public static class NavMeshWays
    {
        const float SnapReach = 2, SameHeight = 0.5f, SamePlace = 0.01f, Gap = 1e-3f;

        /// <summary>The nearest point on the NavMesh; the point itself where there is none near.</summary>
        public static Vector3 Ground(Vector3 place)
        {
            return NavMesh.SamplePosition(place, out NavMeshHit hit, SnapReach, NavMesh.AllAreas) ? hit.position : place;
        }

        public static bool IsOn(Vector3 place)
        {
            if (!NavMesh.SamplePosition(place, out NavMeshHit hit, SameHeight, NavMesh.AllAreas)) return false;
            return Flat(hit.position - place).magnitude < SamePlace;
        }

        /// <summary>Metres of the shortest way, infinity where none leads there.</summary>
        public static double Length(Vector3 from, Vector3 to)
        {
            var path = new NavMeshPath();
            bool near = NavMesh.SamplePosition(from, out NavMeshHit start, SnapReach, NavMesh.AllAreas)
                & NavMesh.SamplePosition(to, out NavMeshHit end, SnapReach, NavMesh.AllAreas);
            if (!near || !NavMesh.CalculatePath(start.position, end.position, NavMesh.AllAreas, path)) return double.PositiveInfinity;
            if (path.status != NavMeshPathStatus.PathComplete) return double.PositiveInfinity;
            double length = 0;
            for (int i = 1; i < path.corners.Length; i++) length += Vector3.Distance(path.corners[i - 1], path.corners[i]);
            return length;
        }

        /// <summary>As far along `way` as the NavMesh goes; with sliding, the rest along the edge that was met.</summary>
        public static Vector3 Move(Vector3 from, Vector3 way, bool sliding, out bool collided)
        {
            collided = NavMesh.Raycast(from, from + way, out NavMeshHit hit, NavMesh.AllAreas);
            if (!collided) return Ground(from + way);
            Vector3 reached = Ground(hit.position - way.normalized * Gap);
            Vector3 rest = Vector3.ProjectOnPlane(from + way - hit.position, hit.normal);
            if (!sliding || rest.magnitude < Gap) return reached;
            return Move(reached, rest, false, out bool _);
        }

        static Vector3 Flat(Vector3 v)
        {
            return new Vector3(v.x, 0, v.z);
        }
    }
}
