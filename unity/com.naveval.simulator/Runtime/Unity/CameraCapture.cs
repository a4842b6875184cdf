// RGB and planar depth of a camera as bytes, row 0 at the top. Depth comes from the built-in pipeline's depth texture;
// URP and HDRP need a pass of their own in its place.
using System;
using UnityEngine;

namespace NavEval.Unity
{
    public sealed class CameraCapture
    {
        readonly Camera camera;
        readonly Material depth;

        public CameraCapture(Camera camera)
        {
            this.camera = camera;
            camera.enabled = false;
            camera.depthTextureMode = DepthTextureMode.Depth;
            camera.nearClipPlane = 0.02f;
            depth = new Material(Shader.Find("Hidden/NavEval/Depth"));
        }

        public byte[] Draw(CameraRequest request)
        {
            bool rgb = request.Type == "rgb";
            float tall = Mathf.Tan((float)request.HFov / 2) * request.Height / request.Width;
            camera.fieldOfView = 2 * Mathf.Atan(tall) * Mathf.Rad2Deg;
            RenderTexture colour = RenderTexture.GetTemporary(request.Width, request.Height, 24, RenderTextureFormat.ARGB32);
            camera.targetTexture = colour;
            camera.Render();
            byte[] image = rgb ? Read(colour, TextureFormat.RGB24, 3) : ReadDepth(request);
            camera.targetTexture = null;
            RenderTexture.ReleaseTemporary(colour);
            return image;
        }

        byte[] ReadDepth(CameraRequest request)
        {
            RenderTexture metres = RenderTexture.GetTemporary(request.Width, request.Height, 0, RenderTextureFormat.RFloat);
            Graphics.Blit(null, metres, depth);
            byte[] image = Read(metres, TextureFormat.RFloat, 4);
            RenderTexture.ReleaseTemporary(metres);
            return image;
        }

        static byte[] Read(RenderTexture source, TextureFormat format, int pixelBytes)
        {
            RenderTexture.active = source;
            var texture = new Texture2D(source.width, source.height, format, false);
            texture.ReadPixels(new Rect(0, 0, source.width, source.height), 0, 0);
            byte[] bottomUp = texture.GetRawTextureData();
            UnityEngine.Object.Destroy(texture);
            RenderTexture.active = null;
            int row = source.width * pixelBytes;
            var image = new byte[row * source.height];
            for (int y = 0; y < source.height; y++) Array.Copy(bottomUp, (source.height - 1 - y) * row, image, y * row, row);
            return image;
        }
    }
}
