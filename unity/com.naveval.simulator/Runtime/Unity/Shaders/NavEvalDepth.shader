// Metres along the optical axis from the built-in pipeline's depth texture; 0 where nothing is hit.
Shader "Hidden/NavEval/Depth"
{
    SubShader
    {
        Cull Off ZWrite Off ZTest Always
        Pass
        {
            CGPROGRAM
            #pragma vertex vert_img
            #pragma fragment frag
            #include "UnityCG.cginc"
            sampler2D _CameraDepthTexture;

            float4 frag(v2f_img i) : SV_Target
            {
                float raw = SAMPLE_DEPTH_TEXTURE(_CameraDepthTexture, i.uv);
                return Linear01Depth(raw) > 0.9999 ? 0 : LinearEyeDepth(raw);
            }
            ENDCG
        }
    }
}
