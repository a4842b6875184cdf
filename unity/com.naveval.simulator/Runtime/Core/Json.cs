// JSON without a library: objects are Dictionary<string, object>, lists List<object>, numbers double.
// Written here because Unity's own JsonUtility reads neither dictionaries nor unknown shapes.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace NavEval
{
    public static class Json
    {
        const int MaxDepth = 64;

        public static object Parse(string text)
        {
            int at = 0;
            object value = Read(text, ref at, 0);
            Skip(text, ref at);
            if (at != text.Length) throw new FormatException("the header is no JSON");
            return value;
        }

        /// <summary>The field of an object, or null; null for what is no object.</summary>
        public static object Get(object json, string key)
        {
            var fields = json as Dictionary<string, object>;
            return fields != null && fields.TryGetValue(key, out object value) ? value : null;
        }

        public static double Number(object json, string key, double otherwise)
        {
            return Get(json, key) is double value ? value : otherwise;
        }

        public static string Text(object json, string key)
        {
            return Get(json, key) as string ?? "";
        }

        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(text, value);
            return text.ToString();
        }

        static void Write(StringBuilder text, object value)
        {
            if (value == null) text.Append("null");
            else if (value is string s) WriteString(text, s);
            else if (value is bool flag) text.Append(flag ? "true" : "false");
            else if (value is IDictionary<string, object> fields) WriteObject(text, fields);
            else if (value is IEnumerable items) WriteList(text, items);
            else if (value is double || value is float) text.Append(Convert.ToDouble(value).ToString("R", CultureInfo.InvariantCulture));
            else text.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
        }

        static void WriteObject(StringBuilder text, IDictionary<string, object> fields)
        {
            string comma = "{";
            foreach (KeyValuePair<string, object> field in fields)
            {
                text.Append(comma);
                WriteString(text, field.Key);
                text.Append(':');
                Write(text, field.Value);
                comma = ",";
            }
            text.Append(fields.Count == 0 ? "{}" : "}");
        }

        static void WriteList(StringBuilder text, IEnumerable items)
        {
            string comma = "";
            text.Append('[');
            foreach (object item in items)
            {
                text.Append(comma);
                Write(text, item);
                comma = ",";
            }
            text.Append(']');
        }

        static void WriteString(StringBuilder text, string value)
        {
            text.Append('"');
            foreach (char c in value)
            {
                if (c < ' ' || c == '"' || c == '\\') text.Append("\\u").Append(((int)c).ToString("x4"));
                else text.Append(c);
            }
            text.Append('"');
        }

        static object Read(string text, ref int at, int depth)
        {
            if (depth > MaxDepth) throw new FormatException("the header is nested too deeply");
            if (Take(text, ref at, '{')) return ReadObject(text, ref at, depth);
            if (Take(text, ref at, '[')) return ReadList(text, ref at, depth);
            if (Take(text, ref at, '"')) return ReadString(text, ref at);
            return ReadWord(text, ref at);
        }

        static object ReadObject(string text, ref int at, int depth)
        {
            var fields = new Dictionary<string, object>();
            if (Take(text, ref at, '}')) return fields;
            do
            {
                Expect(text, ref at, '"');
                string key = ReadString(text, ref at);
                Expect(text, ref at, ':');
                fields[key] = Read(text, ref at, depth + 1);
            }
            while (Take(text, ref at, ','));
            Expect(text, ref at, '}');
            return fields;
        }

        static object ReadList(string text, ref int at, int depth)
        {
            var items = new List<object>();
            if (Take(text, ref at, ']')) return items;
            do items.Add(Read(text, ref at, depth + 1));
            while (Take(text, ref at, ','));
            Expect(text, ref at, ']');
            return items;
        }

        static string ReadString(string text, ref int at)
        {
            var value = new StringBuilder();
            for (char c = Next(text, ref at); c != '"'; c = Next(text, ref at))
            {
                value.Append(c == '\\' ? ReadEscape(text, ref at) : c);
            }
            return value.ToString();
        }

        static char ReadEscape(string text, ref int at)
        {
            char c = Next(text, ref at);
            int known = "nrtbf".IndexOf(c);
            if (known >= 0) return "\n\r\t\b\f"[known];
            if (c != 'u') return c;
            if (at + 4 > text.Length) throw new FormatException("the header is cut short");
            at += 4;
            return (char)ushort.Parse(text.Substring(at - 4, 4), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        }

        static object ReadWord(string text, ref int at)
        {
            int begin = at;
            while (at < text.Length && ",]} \t\r\n".IndexOf(text[at]) < 0) at++;
            string word = text.Substring(begin, at - begin);
            if (word == "null") return null;
            if (word == "true" || word == "false") return word == "true";
            return double.Parse(word, NumberStyles.Float, CultureInfo.InvariantCulture);
        }

        static void Skip(string text, ref int at)
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
        }

        static char Next(string text, ref int at)
        {
            if (at >= text.Length) throw new FormatException("the header is cut short");
            return text[at++];
        }

        static bool Take(string text, ref int at, char wanted)
        {
            Skip(text, ref at);
            if (at >= text.Length || text[at] != wanted) return false;
            at++;
            return true;
        }

        static void Expect(string text, ref int at, char wanted)
        {
            if (!Take(text, ref at, wanted)) throw new FormatException("the header is no JSON");
        }
    }
}
