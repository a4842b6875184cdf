"""What a text says, by the meaning of its single words: no sentence of the speaker's is known here.

Each word of the small lexicons below means one thing: a side, a turn, a door, a room, a thing, going in or out, being
somewhere, passing, stopping. A clause is read word by word, and a word that no lexicon holds is an error (Unknown), for
a listener who skips what it does not know would agree with anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache


def _table(text: str) -> dict[str, tuple[str, str]]:
    """What is said of each, in English and in Chinese; a line that begins with spaces goes on with the one above."""
    rows = (line.split(" = ") for line in text.strip().replace("\n  ", "").splitlines())
    return {name: (english.strip("-"), chinese.strip("-")) for name, english, chinese in rows}


THINGS = _table("""
sofa = corner sofa|sectional|chaise|sofa|couch = 转角沙发|拐角沙发|贵妃沙发|沙发
bed = four-poster bed|daybed|bunk bed|bed = 四柱床|坐卧两用床|上下铺|高低床|床
table = glass table|glass coffee table|hall table|table|coffee table|conference table|meeting table|dining table|
  dining room table|console table|side table|kitchen table = 玻璃桌|玻璃桌子|玻璃茶几|玄关桌|条案|桌子|茶几|会议桌|餐桌|
  边桌|边几
desk = secretary desk|standing desk|desk|office desk|work desk|workstation|writing desk = 升降桌|书桌|写字台|办公桌
plant = fern|potted fern|palm|potted palm|snake plant|monstera|potted tree|peace lily|rubber plant|bonsai|bonsai tree|
  plant|potted plant = 蕨类植物|棕榈树|虎皮兰|龟背竹|琴叶榕|白掌|大绿植|盆景|盆栽|绿植|植物
tv_monitor = tv|television|flat-screen tv|computer monitor|monitor|computer screen|screen|tv screen = 电视|电视机|
  电脑显示器|显示器|电脑屏幕|显示屏|电视屏幕
wardrobe = sliding-door wardrobe|closet|clothes rack|clothing rack|wardrobe|armoire = 推拉门衣柜|挂衣架|衣柜|衣橱
bookshelf = ladder shelf|industrial bookshelf|glass shelf|glass bookcase|cube shelf|bookshelf|bookcase|
  set of bookshelves = 梯形书架|铁艺书架|玻璃书架|玻璃架子|格子柜|书架|书柜
toilet = toilet = 马桶
bathtub = clawfoot tub|freestanding tub|bathtub|tub = 四脚浴缸|独立浴缸|浴缸
shower = corner shower|shower|walk-in shower|shower stall = 淋浴间|淋浴房
sink = sink|kitchen sink|washbasin|vanity|bathroom vanity|pedestal sink = 洗手池|洗手台|水槽|水池|浴室柜|立柱盆
refrigerator = double-door fridge|retro fridge|fridge|refrigerator = 双开门冰箱|复古冰箱|冰箱
counter = kitchen island|island|counter|kitchen counter|countertop|reception desk|front desk = 岛台|中岛|操作台|
  厨房台面|前台
washing_machine = washing machine|washer = 洗衣机
cabinet = hutch|china cabinet|sideboard|credenza|buffet|tv stand|wall unit|entertainment center|filing cabinet|
  cabinet = 餐边柜|碗柜|边柜|矮柜|电视柜|电视墙柜|文件柜|柜子
chest_of_drawers = chest of drawers|dresser|drawer unit = 五斗柜|斗柜
nightstand = nightstand|night table|bedside table = 床头柜
picture = picture|artwork|painting|framed picture|framed print = 挂画|画
shelf = set of shelves|shelving unit|storage rack|storage shelf|metal shelf|towel shelf|shelf = 储物架|置物架|铁架子
whiteboard = whiteboard = 白板
printer = printer|copier = 打印机|复印机
vending_machine = vending machine|snack machine = 售货机|自动售货机
clothes = coat rack|coat stand = 衣帽架|衣架
towel = towel = 毛巾
basket = basket|storage basket = 篮子
vase = vase|flower vase|ceramic vase = 花瓶
box = cardboard box|moving box|box = 纸箱
backpack = backpack = 背包|双肩包
bench = piano bench|shoe bench|padded bench|bench = 琴凳|长凳|换鞋凳|软包长凳
bin = trash can|garbage can|trash bin|wastebasket|waste bin = 垃圾桶|废纸篓
cat_tree = cat tree = 猫爬架
cot = crib|baby crib = 婴儿床
exercise_bike = exercise bike|stationary bike = 健身车|动感单车
fan = fan|standing fan|electric fan|pedestal fan = 电风扇|风扇
fireplace = wood stove|fireplace = 火炉|铁炉子|壁炉
fire_extinguisher = fire extinguisher = 灭火器
guitar = guitar|acoustic guitar = 吉他
ironing_board = ironing board = 熨衣板|烫衣板
microwave = microwave|microwave oven = 微波炉
mirror = full-length mirror|standing mirror|mirror|wall mirror = 穿衣镜|落地镜|镜子
partition = partition|room divider = 隔断|屏风
pet_bed = pet bed|dog bed = 宠物窝
piano = grand piano|upright piano|piano = 三角钢琴|立式钢琴|钢琴
pool_table = pool table|billiard table = 台球桌
pouf = pouf|ottoman|footstool|beanbag|beanbag chair = 软凳|坐墩|矮凳|懒人沙发
radiator = radiator|heater = 暖气片|暖气
step_ladder = stepladder = 梯子
suitcase = suitcase|rolling suitcase|piece of luggage = 行李箱|旅行箱
toy_chest = toy chest|toy box = 玩具箱
umbrella_stand = umbrella stand = 伞架|雨伞架
vacuum_cleaner = vacuum cleaner|vacuum = 吸尘器
water_dispenser = water dispenser|water cooler = 饮水机
blanket = blanket|throw = 毯子|毛毯
calendar = calendar|wall calendar = 挂历|日历
clock = clock|wall clock = 挂钟|时钟
coat_hooks = row of coat hooks|row of hooks = 挂衣钩|挂钩
pin_board = bulletin board|cork board = 软木板|留言板
poster = poster|wall poster = 海报
wall_shelf = wall shelf|floating shelf = 搁板|墙上搁架
shoe_rack = shoe rack = 鞋架
towel_rack = towel rack = 毛巾架
bathrobe = bathrobe|robe = 浴袍
crate = crate|storage crate = 收纳箱
laundry = laundry basket|laundry hamper|hamper = 洗衣篮|脏衣篮
toolbox = toolbox = 工具箱
yoga_mat = yoga mat|exercise mat = 瑜伽垫
stool = stool|bar stool|barstool = 凳子|高脚凳|吧台凳
treadmill = treadmill = 跑步机
aquarium = aquarium|fish tank = 鱼缸|水族箱
rug = rug|area rug|carpet = 地毯
chair = rattan chair|lounge chair|wingback chair|office chair|desk chair|swivel chair|chair|armchair|easy chair|
  dining chair = 藤椅|休闲椅|高背椅|转椅|电脑椅|办公椅|老板椅|椅子|扶手椅|餐椅
floor = floor = 地板
window = window = 窗户
wall_hanging = wall hanging|tapestry = 挂毯|壁毯
glass_partition = glass partition|glass wall = 玻璃隔断|玻璃墙
bag = bag = 包
broom = broom = 扫帚
umbrella = umbrella = 雨伞
teddy_bear = teddy bear|stuffed bear = 泰迪熊|玩具熊
borne = two chairs|three chairs|four chairs|five chairs|six chairs|seven chairs|eight chairs|alarm clock|board game|
  book|bowl|cactus|calculator|candle|coffee maker|coffee machine|figurine|small statue|bowl of fruit|game console|globe|
  hat|pair of headphones|kettle|keyboard|knife block|lamp|table lamp|laptop|laptop computer|mug|coffee mug|notebook|
  stack of papers|pile of paper|pen holder|photo frame|framed photo|radio|remote control|remote|stapler|teapot|
  telephone|desk phone|box of tissues|toaster|tray|bottle|phone charger|cutting board|bottle of detergent|dish rack|
  glass|drinking glass|folder|file folder|food box|hair dryer|clothes iron|jar|glass jar|letter|magazine|computer mouse|
  pan|roll of paper towels|phone|smartphone|plate|scale|soap dispenser|speaker|loudspeaker|tablet|toy|
  set of utensils = 两把椅子|三把椅子|四把椅子|五把椅子|六把椅子|七把椅子|八把椅子|闹钟|桌游|书|碗|仙人掌|计算器|蜡烛|
  咖啡机|摆件|小摆件|水果|游戏机|地球仪|帽子|耳机|水壶|热水壶|键盘|刀架|台灯|笔记本电脑|马克杯|杯子|笔记本|纸|一摞纸|
  笔筒|相框|相架|收音机|遥控器|订书机|茶壶|电话|座机|纸巾盒|抽纸|烤面包机|吐司机|托盘|瓶子|充电器|砧板|菜板|洗衣液|
  碗碟架|沥水架|玻璃杯|文件夹|食品盒|吹风机|熨斗|罐子|玻璃罐|信|信件|杂志|鼠标|平底锅|厨房纸|卷纸|手机|盘子|体重秤|
  洗手液|皂液瓶|音箱|平板电脑|玩具|餐具
""")
ROOMS = _table("""
living room = living room|living area|lounge|sitting room = 客厅|起居室
kitchen = kitchen = 厨房
dining room = dining room|dining area = 餐厅|饭厅
bedroom = bedroom = 卧室
bathroom = bathroom|washroom = 卫生间
restroom = restroom = 洗手间
study = study|home office = 书房
laundry room = laundry room|utility room|laundry area = 洗衣房|洗衣间
storage room = storage room|storage closet = 储藏室|储物间
reception = reception area|reception|lobby = 接待区|接待大厅
open office = open-plan office|open office area|open office = 开放办公区|大办公区
office = office = 办公室
meeting room = meeting room|conference room = 会议室
break room = break room = 茶水间|休息室
copy room = copy room|print room = 复印室|文印室
hallway = hallway|corridor|hall|passage|passageway = 走廊|过道
stairs = staircase|stairwell = 楼梯间|楼梯口
foyer = foyer|entryway|entrance hall = 门厅|玄关
""")
COUNT = {w: k for k, w in enumerate(("first", "second", "third", "fourth", "fifth", "sixth"), start=1)}
COUNT |= {"last": -1, "nearest": 1} | {f"最后一{w}": -1 for w in "扇道个条"}
COUNT |= {f"第{w}": k for k, w in enumerate("一二三四五六", start=1)}
MEANINGS = _table("""
left = left|left-hand side = 左|左转身
right = right|right-hand side = 右|右转身
lefthand = left-hand = 左边|左侧|左手边
righthand = right-hand = 右边|右侧|右手边
slight = slight|slightly|a little to|a little bit to|a bit to = 稍微|略微|前方走
around = turn around|turn back|turn all the way around|turn 180 degrees|spin around|reverse direction|other way|
  opposite way|opposite direction = 转身|转个身|先转身|掉头|转过身|转过身来|向后转|往回走|转身往回走
turn = turn|bear|veer|hang|face|make|take = 转向
door = door|doors = 门|房门|的那扇门
doorway = doorway|archway|arch = 门口|拱门|个门|的门|的那个门
opening = opening = 门洞
wide = wide opening = 宽门洞
stairs = stairs|steps|flight of stairs = 楼梯
end = end|ends = 尽头|到头|到底|走到头|走到底
across = across|cross|other side|opposite side = 对面|正对面
facing = across from the|opposite the|directly across from the = -
up = up|upstairs|upper = 上楼|上到
down = down|downstairs|lower = 下楼|下到
leave = leave|leaving|exit|exiting|out|outside = 离开|走出|出|出了|出来|出去|走出来|走出去|出门
from = from = 从
enter = into|turn into|enter|to|to the|to your|for|up to|up to the|that's the|that's another|go over to|walk over to|
  head over to|that's the next|that should be the|go over to the|walk over to the|go over to the next|
  walk over to the next|you'll be in the|you'll be in = 进|进入|走进|走进去|来到|到|去|拐进|走到|进去|进到|进了|到了|
  就到|就到了|里面是|里面就是|就是
pass = past|passed|pass|passing|walk by|go by|pass by|keep|keeping = 经过|路过|走过|踩着|过去|走过去|穿过|穿过去
among = walk between|go between|straight between|pass between|head between|continue between|walk in between|
  go in between|gap between|passing between|walking between|going between = -
stop = stop|halt|pause|come to a halt|wait|stand|finish|come to a stop|route ends|walk ends = 停|停下|停下来|停住|
  停下吧|停下就行|停下就好|站住|站住就好|站好|就好|就好了|等着|等我|就行|就行了|为止
remark = brings|have|when|as|once|after entering|on reaching|upon entering = 出发
laid = - = 铺着
in = in|inside|outside the|just outside the|right outside the = 在|放在
on = on your|on the|on|over on your|off to your|standing on your = 在你
with = with|where there is|where there's|where you'll see|where you will see|where you can see|where you'll find|
  which has = 有
within = - = 里面有|里头有|里面能看到|那里有
bearing = - = 放着|摆着|上面放着|上面摆着|配着
ahead = facing|in front of you|ahead of you|looking at|looking toward = 前面|前方|正前方|面前|面对|面朝|面对着|面朝着|
  正对着|往前看
behind = behind you|back is to|back to = 身后|背后|后面|背对|背朝|背对着
beside = next to|beside|near|close to|by|adjacent to|alongside = 旁边|旁|边上|附近|跟前
touching = - = 挨着
between = between = 之间|中间
under = below|under|beneath = 下面|下方|上
then = then|after that|afterward|from there|next, = 然后|接着|随后|接下来|最后
after = - = 之后|以后|后
before = - = 之前
goal = - = 目标|终点|目的地
until = until you are|until you're = -
it = it = -
slip = oh no|no|sorry|i mean|i mean, = ，不对，|，哦不，|，说错了，
over = over the|walk over the|go over the|walking over the = -
outer = - = 外面|外面呢
doors = one door|two doors|three doors|the first two doors|the first three doors|first two doors|
  first three doors = 一扇门|两扇门|三扇门|头两扇门|头三扇门
of = - = 的
and = and cross|and walk|and go|and enter|and take|and continue|and head|and keep|and straight|and out|and into|
  and on into|and through = 和
onward = and take the next one|take the next one|and take next one|take next one = 下一扇|再下一扇
""")
"""Words by what they mean for somebody who walks, in English and Chinese; empty where it needs none."""
NOTHING = (
    "another|takes|use|using|uses|opens|meets|beyond|finally|heading|moving|step away|one step|a step|via|immediately|"
    "yourself|position|position yourself|stay|stay straight|onward|point|starting|final|arrive|upon|on your way|"
    "going by|stands|floor|level|onto|your door|the|a|an|and|of|your|you|is|are|be|at|its|that|there|this|which|will|"
    "should|can|need|please|straight|see|front|forward|ahead|walk|walking|go|going|head|continue|proceed|step|move|"
    "come|carry on|keep walking|keep going|follow|keep straight on|carry|way|along|all|length|whole|very|far|until|"
    "reach|get|before|after|just|one|standing|over|find|look|looking|done|goal|destination|soon|notice|now|we|begin|"
    "beginning|start|starting with|reached|through|corner|room|easy to spot|hard to miss|can't miss|"
    "on the right track|right place|know|how|if|am|do|there's|you'll|you're|spot|approach|make your way|find yourself|"
    "by now|directly|as far as|which has|climb|other|towards|arrived|turn in|walk over|go over|step over|off in|"
    "start off|here|in this room|where|adjoining|toward|carpeting|impossible to overlook|arrive at|neighboring|"
    "complete|keep following|located|starting out|initially|open|flooring|underfoot|no missing it|easy to recognize|"
    "it's|clearly|plainly|visible|stands out|seen|sits|route|starts|begins|beginning with|the next|keep straight|cut|"
    "has|right now|you have|to begin with|currently|starting point|that brings you to|you have reached|make out|"
    "as soon as|away|all the way down|all the way|to get|come out|final stop|close|keep moving|which is|to go|"
    "make your way over|this is the|here is|so|able to|them|straight on|that's|start out|top|bottom|on the wall|"
    "against the wall|along the wall|as you come into|look for|in front of|down it|not the one on your left|"
    "not the one on the left|not the one on your right|not the one on the right|and not the one on your left|"
    "and not the one on the left|and not the one on your right|and not the one on the right|a few steps|"
    "a couple of steps|a few feet|about ten feet|about 10 feet|roughly ten feet|about fifteen feet|about 15 feet|"
    "some fifteen feet|about twenty feet|about 20 feet|roughly twenty feet|about twenty-five feet|about 25 feet|"
    "about thirty feet|about 30 feet|halfway|about halfway|a step away from|pass through|pass through the|right at|"
    "length of|by the windows|near the windows|windows|middle of the room|center of the room|middle|landing|"
    "leave the landing|steps|of the steps|of it|leading|next|wall|against wall|along wall|on wall|by windows|"
    "near windows|of room|off landing|off the landing|need to|try to|try|what we're|we want|till you're|"
    "keep walking till|okay|all right|think|i think|looks like|it looks like|what looks like|like|maybe|going to be|"
    "you're going to|want to|you want to|you want|go ahead and|go ahead|got|you've got|you've|"
    "that should take you into the next|take you|made it|till|till you get|on|go on|go on in|in there|"
    "somewhere in there|look around|around for|we're|can see|i can see|i|perfect|your spot|that's it|that's where|"
    "where you|where we're|there,|have|should have|walk right|just before|as well|further|each|you've reached|"
    "you reach it|a stop|come to a stop|small|it's the|follow it|it along|around it|beside it|close to|flight of|"
    "right there|where you need to be|leads|on it|in it",
    "几步|两三步|三米左右|大概三米|三米来远|四五米|大概四五米|六米左右|大概六米|七八米|大概七八米|九米左右|大概九米|"
    "一半|的时候|窗户旁边的|就在窗户旁边|靠着窗户|房间中间的|屋子中间的|在房间中间|就在屋子中间|不是左边那个|"
    "不是右边那个|别走左边那个|别走右边那个|不是左手边那个|不是左侧那个|不是右手边那个|不是右侧那个|别走左手边那个|"
    "别走左侧那个|别走右手边那个|别走右侧那个|嗯|好|然后呢|那|行|接下来呢|好了|就到了|就是这儿了|到这儿就行了|"
    "就到这儿|这样就到了|就这么走|咱们|应该|应该在|这会儿|呢|等你|等|还是|着|一下|下去|好像|应该能|会有|看一下|吧|"
    "找找|大概|再往|在那|那边|身边|能|先|这|来|在它|墙上的|挂在墙上的|挂在墙上|靠墙的|墙边的|靠着墙|就在墙边|你|我|会|"
    "要|请|走|直|往|向|朝|前|直走|往前走|向前走|直行|一直|直接|径直|继续|沿|沿着|顺着|完|整条|再|直到|看见|就|它|那里|"
    "那儿|走近|找到|是|可以了|扇|个|道|条|张|台|块|幅|把|盆|面|架|组|排|本|件|座|一|数到|里|中|看|盏|部|副|顶|盘|盒|"
    "根|包|只|现在|这里|进门后|进去后|能看到|可以看到|能看见|看到|会看到|要找的是|楼上|楼下|房间|房间里|正|正好|另|"
    "脚下|地上|窗边|窗前|靠窗|靠着窗|瓶|口|封|卷|套|这时|的地方|离|一步远|朝前走|顺|也就是|墙角|角落里|屋角|偏|偏一点|"
    "转|拐|转九十度|从那里|你的|站|起点|出发点|了|走完|另一间|另一条|隔壁|隔壁的",
)
"""Words that tell a walker nothing that the others do not."""
LOOKS = (
    "brown|chocolate|dark|light|tan|pale|beige|cream|cream-colored|off-white|yellow|mustard-yellow|orange|green|teal|"
    "blue-green|turquoise|blue|pink|red|white|gray|black|wooden|wood|leather|metal|wicker|woven|tiled|tile|hardwood|"
    "mustard|carpeted|tall|low|large|big|sizable|narrow|small|little|compact|broad|spacious|round|oval|metallic|long|"
    "short|double|single|wide",
    "棕色|褐色|咖啡色|深棕色|深褐色|浅棕色|浅褐色|米色|米黄色|黄色|姜黄色|橙色|绿色|蓝绿色|青色|蓝色|粉色|粉红色|红色|"
    "白色|灰色|黑色|宽敞的|小小的|长长的|狭窄的|圆|椭圆形|木质|木头|木|皮|皮质|金属|藤编|编织|瓷砖|地砖|高|矮|窄|宽|"
    "大|小|长|短|双人|单人|三人|四人|五人|六人|七人|八人",
)
WAYS = ("door", "doorway", "opening", "wide", "stairs")
SIDES = {"lefthand": "left", "righthand": "right"}
PLACING = ("beside", "between", "under", "ahead", "behind", "in", "on")


class Unknown(AssertionError):
    """A text holds a word whose meaning the stranger does not know."""


@dataclass(frozen=True, slots=True)
class Word:
    """`kind`: thing, room, count, a mark of the end or of a pause, or one of the meanings; `value`: which."""

    kind: str
    value: str = ""


STOP = Word(".")


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to do, understood. `side`: left, right, across, end or "" (whatever lies the way one turns)."""

    act: str
    """go, climb or stop."""
    turn: str = ""
    """left, right, around, slightly left, slightly right; "" where nothing is said."""
    side: str = ""
    count: int = 0
    what: str = ""
    """door, doorway, hallway, stairs or opening; up or down of a climb."""
    enter: str = ""
    thing: str = ""
    past: tuple[tuple[str, str], ...] = ()
    """A thing and the side on which one passes it, or two between which one walks ("" for the side)."""
    mark: str = ""
    """What stands beside the way out."""
    facing: str = ""
    """What lies across from it."""
    holds: str = ""
    """What is in the room that one enters."""
    seen: tuple[tuple[str, str], ...] = ()
    """What is said to be in sight before one turns, and where: left, right, ahead, behind."""


def orders(text: str) -> list[Order]:
    """What a text in English or Chinese says, action by action. Unknown for a word that is not known."""
    language = 1 if re.search("[一-鿿]", text) else 0
    return (_English, _Chinese)[language](words(text, language)).read()


def words(text: str, language: int) -> list[Word]:
    """The words of a text that mean something to a walker: of all ways to read it as known words that of the fewest."""
    text, known = text.lower(), _lexicon(language)
    best: list[tuple[int, str] | None] = [*[None] * len(text), (0, "")]
    for at in reversed(range(len(text))):
        for word in (text[at : at + size] for size in _SIZES if at + size <= len(text)):
            rest = best[at + len(word)]
            parted = language or not (word[-1].isalnum() and re.match(r"[\w-]", text[at + len(word) :]))
            if rest and parted and word in known and (best[at] is None or rest[0] + 1 <= best[at][0]):
                best[at] = rest[0] + 1, word
    if best[0] is None:
        last = max((at for at in range(len(text)) if best[at] is None), default=0)
        raise Unknown(f"{text[max(last - 20, 0) : last + 20]!r} in {text!r}")
    out, at = [], 0
    while at < len(text):
        word = best[at][1]
        out.append(known[word])
        at += len(word)
    return [word for word in out if word.kind]


_SIZES = range(1, 32)
"""How long words and phrases are."""


@cache
def _lexicon(language: int) -> dict[str, Word]:
    known = {w: Word("", w) for w in f"{NOTHING[language]}|{LOOKS[language]}| ".split("|")}
    for kind, table in (("thing", THINGS), ("room", ROOMS)):
        known |= {w: Word(kind, name) for name, said in table.items() for w in said[language].split("|")}
    known |= {w: Word("count", str(k)) for w, k in COUNT.items()}
    known |= {w: Word(kind, w) for kind, said in MEANINGS.items() for w in said[language].split("|") if w}
    return known | dict.fromkeys(".;!。；！", STOP) | {mark: Word(",", mark) for mark in ",，:：、"}


def _many(doors: str) -> int:
    """How many doors are left aside."""
    return next(k for k, words in enumerate(("one|一", "two|两", "three|三"), 1) if re.search(words, doors))


@dataclass
class Noun:
    """A thing or a way out that was named. `use`: past, mark, facing, holds, other (said of another thing), or ""."""

    name: str
    use: str = ""
    place: str = ""


@dataclass
class Doing:
    """What is known so far of the order that is being read."""

    turn: str = ""
    side: str = ""
    count: int = 0
    what: str = ""
    enter: str = ""
    climb: str = ""
    moves: bool = False
    left: bool = False
    stops: bool = False
    nouns: list[Noun] = field(default_factory=list)
    target: str = ""
    """The thing that "it" is, where one stops."""

    def order(self) -> Order:
        plain = [noun for noun in self.nouns if not noun.use]
        seen = tuple((noun.name, noun.place) for noun in plain if noun.place)
        if self.stops:
            head = [noun for noun in plain if not noun.place] or plain
            return Order("stop", self.turn, thing=self.target or (head[-1].name if head else ""), seen=seen)
        told = {noun.use: noun.name for noun in reversed(self.nouns) if noun.use in ("mark", "facing", "holds")}
        past = tuple((noun.name, noun.place) for noun in self.nouns if noun.use == "past")
        count, what = (self.count, self.what) if self.side in ("left", "right") else (0, "")
        act = "climb" if self.climb else "go"
        return Order(act, self.turn, self.side, count, self.climb or what, self.enter, past=past, seen=seen, **told)


class _Reader:
    """Reads word by word: an order ends with its sentence, with "then", or where one does what comes after moving."""

    def __init__(self, said: list[Word]) -> None:
        self.said = said
        self.out: list[Order] = []
        self.now = Doing()
        self.entered = ""

    def read(self) -> list[Order]:
        self.clause()
        for at, word in enumerate(self.said):
            self.word(at, word)
        self.finish()
        return self.out

    def clause(self) -> None:
        """Forget what was said of nouns to come."""
        self.role = self.place = self.remark = ""
        self.count = 0
        self.slight = self.turning = False

    def word(self, at: int, word: Word) -> None:
        raise NotImplementedError

    def near(self, at: int, off: int) -> Word:
        return self.said[at + off] if 0 <= at + off < len(self.said) else STOP

    def finish(self) -> None:
        """The order is complete if it moves or stops; a turn, a thing to pass and remarks wait for the next."""
        if self.now.moves or self.now.stops:
            self.out.append(self.now.order())
            self.entered = self.now.enter
            self.now = Doing()

    def turn(self, way: str) -> None:
        if self.now.moves:
            self.finish()
        self.now.turn = f"slightly {way}" if self.slight and way in ("left", "right") else way
        self.slight = self.turning = False

    def enter(self, room: str) -> None:
        self.now.moves, self.now.enter = True, room


class _English(_Reader):
    """A side belongs to the noun before it ("the door on your left"), else to the next one; without "on" one turns.

    "It" is what was named last: a thing, or a way out, of which the sentence before may have told where it is.
    """

    slipped = False
    """Whether what was said last is to be put right."""
    it: Noun | None = None
    shown: Doing | None = None
    """What the sentence before told of a way out, without saying where it leads."""

    def clause(self) -> None:
        super().clause()
        self.noun: Noun | None = None
        self.last = ""
        """The kind of the noun named last: thing, room or way."""

    def word(self, at: int, word: Word) -> None:
        now, kind, after, before = self.now, word.kind, self.near(at, 1), self.near(at, -1)
        if kind in (".", "then"):
            self.arrive()
            self.clause()
        elif kind == "and":
            if now.enter:  # "into the kitchen and go up": one has come in before one goes on
                self.arrive()
                self.clause()
            if after.kind != "thing" or word.value != "and cross":
                self._go_on(word.value.split()[-1])
            else:
                self.role = "pass"
        elif kind == "until":
            if now.enter:
                self.arrive()
            self.last = ""
        elif kind == ",":
            self.remark = self.remark if self.remark in ("brings", "have") else ""
            self.role = ""
            if self.noun is not None and self.noun.place:
                self.last = ""  # "with the lamp on your left, walk until you are next to the bed": of the bed
        elif kind == "it":
            self._it()
        elif kind == "slight":
            self.slight = True
        elif kind == "turn":
            self.turning, self.last = True, ""
        elif kind == "around":
            self.turn("around")
        elif kind == "count":
            self.count = int(word.value)
        elif kind in ("left", "right"):
            exactly = before.kind not in ("on", "enter", "turn") and after.kind in PLACING
            if word.value != "right" or not exactly or self.slipped:
                self._side(kind, before)
        elif kind in SIDES:
            self.place = SIDES[kind]
        elif kind in ("ahead", "behind"):
            self._put(kind, word.value not in ("facing", "looking at", "looking toward", "back is to", "back to"))
        elif kind == "remark":
            self.remark = self.remark or word.value
        elif kind == "end":
            now.moves, now.side, self.role = True, "end", ""
        elif kind == "slip":
            self.slipped, self.turning = True, False
            if self.noun is not None and self.noun.use != "way":
                self.noun.place = ""
        elif kind == "over" or (kind == "across" and after.kind == "thing"):
            self.role = "pass"
        elif kind == "across":
            now.moves, now.side = True, "across"
        elif kind in ("up", "down"):
            if after.kind != "room":
                self.role = ""
                if self.shown is not None and self.shown.what == "stairs":
                    self._it()
                self.now.moves, self.now.climb = True, kind
        elif kind == "stop":
            self.arrive()
            self.now.stops, self.last = True, ""
        elif kind == "leave" or kind == "from":
            now.moves |= kind == "leave"
            self.role = "leave"
        elif kind in ("enter", "pass", "among", "with", "beside", "between", "under", "in", "on", "facing"):
            self.role = kind
        elif kind == "room":
            if before.kind == "pass" and not before.value.startswith("keep"):
                self._thing(word.value)
            else:
                self._room(word.value)
        elif kind == "doors":
            self.count = _many(word.value)
            self._way("door")
        elif kind == "onward":
            now.count += 1
        elif kind in WAYS:
            self._way(kind)
        elif kind == "thing" and word.value != "floor":
            self._thing(word.value)

    def _go_on(self, verb: str) -> None:
        """What the verb after an "and" means by itself."""
        self.role = {"enter": "enter", "into": "enter", "out": "leave"}.get(verb, self.role)
        if verb in ("out", "cross"):
            self.now.moves, self.now.side = True, "across" if verb == "cross" else self.now.side

    def _it(self) -> None:
        """Of a thing: it is where one stops, or is beside the door. Of a way out: one goes on with what was told."""
        named = [noun for noun in self.now.nouns if not noun.use and not noun.place]
        if named and self.role == "beside" and self.last == "way" and not self.now.stops:
            named[-1].use, self.role = "mark", ""
        elif self.it is not None and self.it.use != "way":
            self.now.target = self.it.name
        elif self.it is not None and self.shown is not None and not self.now.what:
            self.out.pop()
            self.now, self.shown = self.shown, None

    def arrive(self) -> None:
        """One stops in the room that one has come into, beside what was named since: "enter it, walk to the sofa"."""
        if self.now.moves:
            to = [noun for noun in self.now.nouns if not noun.use and not noun.place]
            self.now.nouns = [noun for noun in self.now.nouns if noun not in to]
            unsaid = not self.now.enter and not self.now.climb and bool(self.now.what)
            told = self.now
            self.finish()
            self.shown = told if unsaid else None
            self.now.nouns = to

    def _side(self, side: str, before: Word) -> None:
        slipped, self.slipped = self.slipped and not self.turning, False
        aside = before.value in ("to the", "to your") and not (self.turning and self.last != "way")
        if slipped or before.kind == "on" or aside:
            self._put(side, True)
        else:
            self.turn(side)
        self.role = ""

    def _put(self, place: str, may_follow: bool) -> None:
        """What was named last is there; if nothing was, what is named next."""
        if not may_follow or self.noun is None or self.noun.place:
            self.place = place
        elif self.noun.use == "way":
            self.now.side = place if place in ("left", "right") else self.now.side
        else:
            self.noun.place = place

    def _way(self, kind: str) -> None:
        leaves = kind == "stairs" and self.role == "leave"
        self.role, self.last = "", "way"
        if leaves:
            return
        self.noun = self.it = Noun(kind, "way", self.place)
        self.now.moves, self.now.what, self.now.count = True, kind, self.count
        self.now.side = self.place if self.place in ("left", "right") else self.now.side
        self.count, self.place = 0, ""

    def _room(self, room: str) -> None:
        role, self.role = self.role, ""
        self.it = None
        self.last = "" if self.remark or role == "in" else "room"
        if room == "hallway" and (self.count or role == ""):
            self.noun = Noun(room, "way")
            if self.count:
                self.now.moves, self.now.what, self.now.count, self.count = True, room, self.count, 0
        elif role == "leave":
            self.now.moves = True
        elif role == "enter" and not self.remark:
            self.enter(room)
            self.noun = Noun(room, "way") if room == "hallway" else self.noun
            self.now.what = self.now.what or "hallway"

    def _thing(self, name: str) -> None:
        role, use = self.role, ""
        if role in ("pass", "among"):
            use = "past"
        elif role == "with" and self.last == "room":
            use = "holds"
        elif (role in ("beside", "between", "under", "on", "with") and self.last == "thing") or (
            role == "with" and self.now.nouns and self.now.nouns[-1].use in ("mark", "facing", "other")
        ):
            use = "other"
        elif role == "beside" and self.last in ("way", "room") and not self.now.stops:
            use = "mark"
        elif role == "facing" and self.last in ("way", "room"):
            use = "facing"
        noun = Noun(name, use, "" if use else self.place)
        self.now.nouns.append(noun)
        self.place = self.place if use else ""
        self.role = role if role in ("among", "between") or (use, role) == ("other", "with") else ""
        if use not in ("other", "mark", "facing", "holds"):
            self.noun = noun
            self.last = "thing"
            self.it = self.it if use else noun


class _Chinese(_Reader):
    """A side belongs to the noun after it; what a thing is beside comes before it, with 的."""

    def word(self, at: int, word: Word) -> None:
        now, kind, after, before = self.now, word.kind, self.near(at, 1), self.near(at, -1)
        if kind in (".", "then") or (kind == "after" and before.kind in (".", ",") and word.value == "之后"):
            self.finish()
            self.clause()
        elif kind == ",":
            self.role = self.remark = ""
        elif kind == "slight":
            self.slight = True
            if before.kind in ("left", "right"):
                self.turn(before.kind)
        elif kind in ("left", "right"):
            self.turn(kind)
        elif kind in SIDES:
            self._side(SIDES[kind], before)
        elif kind == "around":
            self.turn("around")
        elif kind in ("ahead", "behind"):
            self.place = kind
        elif kind == "count":
            self.count = int(word.value)
        elif kind == "across" and before.kind == "thing":
            return
        elif kind in ("end", "across"):
            self.fresh()
            now = self.now
            now.moves, now.side = True, kind
            self.role = "enter" if after.kind in ("of", "room", "with") else ""
        elif kind in ("up", "down"):
            self.fresh()
            self.now.moves, self.now.climb = True, kind
        elif kind == "stop":
            if now.moves:
                self.finish()
            self.now.stops = True
        elif kind == "remark":
            self.remark = word.value
        elif kind == "leave":
            if now.enter or now.climb or now.left:
                self.finish()
            self.now.moves = self.now.left = True
            self.role = "leave"
        elif kind in ("from", "enter"):
            self.role = kind
        elif kind == "doors":
            self.count = _many(word.value)
            self._way(at, "door")
        elif kind == "onward":
            now.count += 1
        elif kind == "room":
            if before.kind == "of" and any(one.kind == "pass" and one.value != "穿过" for one in self.pause(at)[0]):
                self._thing(at, word.value)
            elif after.kind == "outer" or self.near(at, 2).kind == "outer":
                self.role = ""
            else:
                self._room(at, word.value)
        elif kind in WAYS:
            self._way(at, kind)
        elif kind == "thing" and word.value != "floor":
            self._thing(at, word.value)

    def fresh(self) -> None:
        """What is said now is done after one has gone out or in, or taken stairs whose place is known."""
        if self.now.left or self.now.enter or (self.now.climb and self.now.side):
            self.finish()

    def pause(self, at: int) -> tuple[list[Word], list[Word]]:
        """The words of the clause before and after a place."""
        low = high = at
        while self.near(low, -1).kind not in (".", ",", "then"):
            low -= 1
        while self.near(high, 1).kind not in (".", ",", "then"):
            high += 1
        clause = self.said[low : high + 1]
        over = any(word.kind == "from" for word in clause)
        # "Go over to it": only who walks 从 a place walks past it.
        heard = [word if over or word.value != "走过去" else Word("", word.value) for word in clause]
        return heard[: at - low], heard[at - low + 1 :]

    def _side(self, side: str, before: Word) -> None:
        if before.kind == "turn":
            self.turn(side)
        elif before.kind == "on" and self.now.nouns:
            self.now.nouns[-1].place = side
        else:
            self.place = side

    def _way(self, at: int, kind: str) -> None:
        before, after = self.pause(at)
        marked = not before and any(word.kind == "thing" for word in after)
        if marked or self.near(at, 1).kind == "before":
            return
        if self.place or self.count:
            self.fresh()
        now = self.now
        now.moves, now.what, now.count = True, kind, self.count
        now.side = self.place or now.side
        self.place, self.count, self.role = "", 0, ""

    def _room(self, at: int, room: str) -> None:
        before, after = self.near(at, -2).kind, [self.near(at, k).kind for k in (1, 2)]
        if after[0] in ("end", "across") or after == ["of", "end"]:
            return
        role, self.role = self.role, ""
        if room == "hallway" and self.count:
            self.fresh()
            self.now.moves = self.now.left = True
            self.now.what, self.now.count = room, self.count
            self.now.side, self.place, self.count = self.place, "", 0
        elif role == "leave":
            self.now.left = True
        elif role == "enter" and not self.remark:
            there = self.near(at, -1).value in ("到了", "进了") or (after[0] == "after" and before in (".", ","))
            arrived = there and self.entered in (room, "") and not self.now.moves
            if not arrived:
                if self.now.enter or self.now.climb:
                    self.finish()
                self.enter(room)

    def _thing(self, at: int, name: str) -> None:
        before, after = self.pause(at)
        kinds, later = [word.kind for word in before], [word.kind for word in after]
        if "laid" in kinds:
            return
        use = self._use(kinds, later)
        place = "" if use in ("other", "mark", "facing", "holds") else self.place
        if (use == "past" and (self.now.left or self.now.enter)) or (use == "mark" and self.now.enter):
            self.finish()
        if not use and not place and self.now.moves and "on" not in later:
            self.finish()
        self.now.nouns.append(Noun(name, use, place))
        self.place = self.place if use in ("other", "mark", "facing", "holds") else ""

    def _use(self, before: list[str], after: list[str]) -> str:
        """What a thing is named for, by the kinds of the words of its clause."""
        relation = ("beside", "under", "between")
        if "within" in before:
            return "holds"
        if "bearing" in before and "of" not in before[before.index("bearing") :]:
            return "other"
        if after[:1] == ["across"]:
            return "facing"
        if (after[:1] == ["beside"] and after[1:2] in [[way] for way in WAYS]) or "beside" in before[:2] == before[-2:]:
            return "mark"
        if (after[:1] and after[0] in relation and after[1:2] == ["of"]) or (
            before[-1:] == ["touching"] and after[:1] == ["of"]
        ):
            return "other"
        if "and" in (*after[:1], *before[-1:]) and "between" in after:
            follows = after[after.index("between") + 1 :]
            return "other" if follows[:1] == ["of"] or not ({"pass"} & {*before, *after}) else "past"
        if before[:1] and before[0] in WAYS and {"in", "touching", "beside"} & {*before}:
            return "mark"
        if "pass" in before or "pass" in after:
            return "past"
        if before[:1] == ["in"] and "stop" not in after and "stop" not in before:
            return "other"
        return ""
