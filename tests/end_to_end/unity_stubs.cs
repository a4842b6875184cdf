// The part of Unity's API that the package uses, empty: enough for a compiler to check names and types, no more.
#pragma warning disable 67, 169, 649
using System;
using System.Collections.Generic;

namespace UnityEngine
{
    public class Object { public string name { get; set; } public static void Destroy(Object o) { } }
    public class Component : Object { public Transform transform => null; public GameObject gameObject => null; public T GetComponent<T>() => default(T); }
    public class Behaviour : Component { public bool enabled { get; set; } }
    public class MonoBehaviour : Behaviour { }
    public class Transform : Component
    {
        public Vector3 position { get; set; }
        public Vector3 localPosition { get; set; }
        public Vector3 localScale { get; set; }
        public Quaternion localRotation { get; set; }
        public void SetParent(Transform parent) { }
        public void SetPositionAndRotation(Vector3 p, Quaternion r) { }
    }
    public class GameObject : Object
    {
        public GameObject(string title) { }
        public Transform transform => null;
        public T AddComponent<T>() where T : Component => default(T);
        public T GetComponent<T>() => default(T);
        public static GameObject CreatePrimitive(PrimitiveType type) => null;
    }
    public enum PrimitiveType { Cube }
    public class Renderer : Component { public Material material => null; }
    public class Material : Object { public Material(Shader s) { } public Color color { get; set; } }
    public class Shader : Object { public static Shader Find(string title) => null; }
    public struct Color { public static Color gray, red, green, blue, yellow, white; }
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static Vector3 zero, forward;
        public float magnitude => 0;
        public Vector3 normalized => this;
        public static float Distance(Vector3 a, Vector3 b) => 0;
        public static Vector3 ProjectOnPlane(Vector3 v, Vector3 normal) => v;
        public static Vector3 operator +(Vector3 a, Vector3 b) => a;
        public static Vector3 operator -(Vector3 a, Vector3 b) => a;
        public static Vector3 operator *(Vector3 a, float b) => a;
    }
    public struct Quaternion
    {
        public static Quaternion identity;
        public static Quaternion Euler(float x, float y, float z) => identity;
        public static Vector3 operator *(Quaternion q, Vector3 v) => v;
    }
    public struct Bounds { public Bounds(Vector3 centre, Vector3 size) { } }
    public struct Rect { public Rect(float x, float y, float w, float h) { } }
    public static class Mathf { public const float Rad2Deg = 57.29578f; public static float Tan(float f) => f; public static float Atan(float f) => f; }
    public static class Application { public static bool runInBackground { get; set; } public static bool isBatchMode => true; public static string productName => ""; public static string version => ""; }
    public static class QualitySettings { public static int vSyncCount { get; set; } }
    public static class Debug { public static void Log(object o) { } }
    public class TooltipAttribute : Attribute { public TooltipAttribute(string text) { } }
    public enum DepthTextureMode { Depth }
    public enum RenderTextureFormat { ARGB32, RFloat }
    public enum TextureFormat { RGB24, RFloat }
    public class Texture : Object { public int width => 0; public int height => 0; }
    public class RenderTexture : Texture
    {
        public static RenderTexture active { get; set; }
        public static RenderTexture GetTemporary(int w, int h, int depth, RenderTextureFormat format) => null;
        public static void ReleaseTemporary(RenderTexture t) { }
    }
    public class Texture2D : Texture
    {
        public Texture2D(int w, int h, TextureFormat format, bool mips) { }
        public void ReadPixels(Rect r, int x, int y) { }
        public byte[] GetRawTextureData() => null;
    }
    public class Camera : Behaviour
    {
        public DepthTextureMode depthTextureMode { get; set; }
        public float nearClipPlane { get; set; }
        public float fieldOfView { get; set; }
        public RenderTexture targetTexture { get; set; }
        public void Render() { }
    }
    public static class Graphics { public static void Blit(Texture source, RenderTexture target, Material material) { } }
}

namespace UnityEngine.SceneManagement
{
    public struct Scene { public string name => ""; }
    public static class SceneManager { public static Scene GetActiveScene() => new Scene(); }
}

namespace UnityEngine.AI
{
    public struct NavMeshHit { public Vector3 position { get; set; } public Vector3 normal { get; set; } }
    public enum NavMeshPathStatus { PathComplete, PathPartial, PathInvalid }
    public sealed class NavMeshPath { public Vector3[] corners => null; public NavMeshPathStatus status => 0; }
    public struct NavMeshBuildSource { }
    public struct NavMeshBuildMarkup { }
    public enum NavMeshCollectGeometry { RenderMeshes }
    public struct NavMeshBuildSettings { public float agentRadius { get; set; } public float agentHeight { get; set; } public float agentClimb { get; set; } }
    public sealed class NavMeshData : Object { }
    public struct NavMeshDataInstance { }
    public static class NavMesh
    {
        public const int AllAreas = -1;
        public static bool SamplePosition(Vector3 p, out NavMeshHit hit, float reach, int areas) { hit = default(NavMeshHit); return true; }
        public static bool Raycast(Vector3 a, Vector3 b, out NavMeshHit hit, int areas) { hit = default(NavMeshHit); return true; }
        public static bool CalculatePath(Vector3 a, Vector3 b, int areas, NavMeshPath path) => true;
        public static NavMeshBuildSettings GetSettingsByID(int id) => default(NavMeshBuildSettings);
        public static NavMeshDataInstance AddNavMeshData(NavMeshData data) => default(NavMeshDataInstance);
    }
    public static class NavMeshBuilder
    {
        public static void CollectSources(Transform root, int layers, NavMeshCollectGeometry kind, int area, List<NavMeshBuildMarkup> markups, List<NavMeshBuildSource> into) { }
        public static NavMeshData BuildNavMeshData(NavMeshBuildSettings s, List<NavMeshBuildSource> from, Bounds bounds, Vector3 position, Quaternion rotation) => null;
    }
}
