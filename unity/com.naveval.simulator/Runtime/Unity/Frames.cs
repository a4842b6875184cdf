// Unity is left-handed and looks along +z; nav_eval is right-handed and looks along -z: z changes its sign, and so
// does yaw. Unity's angles are degrees.
using UnityEngine;

namespace NavEval.Unity
{
    public static class Frames
    {
        public static Vector3 ToUnity(Vec3 p)
        {
            return new Vector3((float)p.X, (float)p.Y, (float)-p.Z);
        }

        public static Vec3 FromUnity(Vector3 p)
        {
            return new Vec3(p.x, p.y, -p.z);
        }

        public static Quaternion ToUnity(double yaw)
        {
            return Quaternion.Euler(0, (float)(-yaw * Mathf.Rad2Deg), 0);
        }
    }
}
