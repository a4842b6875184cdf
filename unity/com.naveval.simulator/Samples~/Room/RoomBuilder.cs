// A room made by a script: put this on an empty object in an empty scene called Room and press play. Then, outside:
//   nav-eval simulator check unity
using System.Collections.Generic;
using NavEval.Unity;
using UnityEngine;
using UnityEngine.AI;

public sealed class RoomBuilder : MonoBehaviour
{
    void Awake()
    {
        Box("floor", new Vector3(0, -0.05f, 0), new Vector3(6, 0.1f, 5), Color.gray);
        Box("north", new Vector3(0, 1.25f, 2.5f), new Vector3(6, 2.5f, 0.1f), Color.red);
        Box("south", new Vector3(0, 1.25f, -2.5f), new Vector3(6, 2.5f, 0.1f), Color.green);
        Box("west", new Vector3(-3, 1.25f, 0), new Vector3(0.1f, 2.5f, 5), Color.blue);
        Box("east", new Vector3(3, 1.25f, 0), new Vector3(0.1f, 2.5f, 5), Color.yellow);
        Box("across", new Vector3(0, 1.25f, -0.75f), new Vector3(0.1f, 2.5f, 3.5f), Color.white);
        BakeNavMesh();
        AddAgent();
    }

    void Box(string title, Vector3 centre, Vector3 size, Color colour)
    {
        GameObject box = GameObject.CreatePrimitive(PrimitiveType.Cube);
        box.name = title;
        box.transform.SetParent(transform);
        box.transform.localPosition = centre;
        box.transform.localScale = size;
        box.GetComponent<Renderer>().material.color = colour;
    }

    void BakeNavMesh()
    {
        var sources = new List<NavMeshBuildSource>();
        NavMeshBuilder.CollectSources(transform, ~0, NavMeshCollectGeometry.RenderMeshes, 0, new List<NavMeshBuildMarkup>(), sources);
        NavMeshBuildSettings settings = NavMesh.GetSettingsByID(0);
        settings.agentRadius = 0.1f;
        settings.agentHeight = 1.5f;
        settings.agentClimb = 0.2f;
        var bounds = new Bounds(Vector3.zero, new Vector3(20, 10, 20));
        NavMesh.AddNavMeshData(NavMeshBuilder.BuildNavMeshData(settings, sources, bounds, Vector3.zero, Quaternion.identity));
    }

    void AddAgent()
    {
        var body = new GameObject("agent");
        body.transform.position = new Vector3(-2, 0, -1.5f);
        var eye = new GameObject("eye").AddComponent<Camera>();
        eye.transform.SetParent(body.transform);
        var goal = new GameObject("goal");
        goal.transform.position = new Vector3(2, 0, -1.5f);
        var agent = body.AddComponent<NavEvalAgent>();
        agent.eye = eye;
        agent.exampleGoal = goal.transform;
        gameObject.AddComponent<NavEvalServer>().agent = agent;
    }
}
