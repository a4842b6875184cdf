"""The built-in perturbations in Chinese; English is what they say of themselves."""

from __future__ import annotations

from collections.abc import Mapping

NAMES: Mapping[str, str] = {
    "blur": "模糊",
    "low_light": "弱光",
    "colour_shift": "偏色",
    "dropped_frames": "丢帧",
    "depth_noise": "深度噪声",
    "camera_height": "相机高度",
    "field_of_view": "视场角",
    "actuation_noise": "执行噪声",
    "people_in_the_way": "行人挡路",
    "latency": "延迟",
    "pose_drift": "位姿漂移",
    "paraphrase": "换一种说法",
    "typos": "错字",
    "truncated": "指令截断",
    "other_language": "换一种语言",
}
ABOUT: Mapping[str, str] = {
    "blur": "镜头失焦：逐通道高斯模糊。",
    "low_light": "光线昏暗：只剩 1/4、1/16、1/64 的光，并带有相应的散粒噪声。",
    "colour_shift": "白平衡错误：线性光下红色乘以 g、蓝色除以 g，或者相反。",
    "dropped_frames": "画面没有送到：所有相机以 0.1、0.3、0.5 的概率重复上一次的画面。",
    "depth_noise": "PrimeSense 深度相机的噪声，为实测值的 1、2、4 倍。",
    "camera_height": "相机比基准低 0.2、0.4、0.6 米，但不低于 0.2 米。",
    "field_of_view": "水平视场角缩小为 5/6、4/6、3/6，像素数不变。",
    "actuation_noise": "LoCoBot 的轮子：误差为 PyRobot 作者实测值的 0.5、1、2 倍。",
    "latency": "每次回答多花 0.5、1、2 秒，世界不等待。",
    "people_in_the_way": "多 2、4、6 个行人，先沿智能体自己的路线从目标那头走来。",
    "pose_drift": "GPS 与罗盘像航位推算那样漂移：每执行一个动作，随机游走一步。",
    "paraphrase": "同一路径、同一语言的另一条指令，取自数据集。",
    "typos": "10%、30%、50% 的词中有两个相邻字母互换，首尾字母不动。",
    "truncated": "只保留指令开头 75%、50%、25% 的词（或汉字）。",
    "other_language": "同一路径用另一种语言的指令，取自数据集。",
}
LACKING: Mapping[str, str] = {
    "no episode here has other words for it": "这里没有回合有其他说法的指令",
    "nothing here is affected by it": "这里没有受它影响的内容",
}
"""Why a perturbation was left out."""
_SENSORS = " (it is one of sensors "


def lacking_zh(why: str) -> str:
    """The reason in Chinese, as far as it is known; else as it is."""
    reason, told, sensors = why.removesuffix(")").partition(_SENSORS)
    known = LACKING.get(reason)
    if known is None:
        return why
    return f"{known}（它作用于传感器 {sensors}）" if told else known
