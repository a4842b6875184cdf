"""Names of rooms and things in English and Chinese. A category without a name is never mentioned."""

from __future__ import annotations

ROOMS = {
    "living room": "客厅", "kitchen": "厨房", "dining room": "餐厅", "bedroom": "卧室", "bathroom": "卫生间",
    "study": "书房", "laundry room": "洗衣房", "storage room": "储藏室", "hallway": "走廊", "stairs": "楼梯间",
    "reception": "前台大厅", "open office": "开放办公区", "office": "办公室", "meeting room": "会议室",
    "break room": "茶水间", "copy room": "复印室",
}  # fmt: skip
ROOM_NAMES = {name: name for name in ROOMS} | {
    "stairs": "staircase",
    "reception": "reception area",
    "open office": "open-plan office",
}
THINGS = {
    "sofa": ("sofa", "沙发"), "bed": ("bed", "床"), "table": ("table", "桌子"), "desk": ("desk", "书桌"),
    "plant": ("plant", "盆栽"), "tv_monitor": ("TV", "电视"), "wardrobe": ("wardrobe", "衣柜"),
    "bookshelf": ("bookshelf", "书架"), "toilet": ("toilet", "马桶"), "bathtub": ("bathtub", "浴缸"),
    "shower": ("shower", "淋浴间"), "sink": ("sink", "洗手池"), "refrigerator": ("fridge", "冰箱"),
    "counter": ("counter", "台面"), "washing_machine": ("washing machine", "洗衣机"), "cabinet": ("cabinet", "柜子"),
    "chest_of_drawers": ("chest of drawers", "五斗柜"), "nightstand": ("nightstand", "床头柜"),
    "picture": ("picture", "挂画"), "shelf": ("storage shelf", "储物架"), "whiteboard": ("whiteboard", "白板"),
    "printer": ("printer", "打印机"), "vending_machine": ("vending machine", "自动售货机"),
    "clothes": ("coat rack", "衣帽架"),
    "towel": ("towel", "毛巾"), "box": ("cardboard box", "纸箱"),
}  # fmt: skip
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINALS_ZH = ("第一", "第二", "第三", "第四", "第五", "第六", "第七", "第八", "第九", "第十")
