import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competition", "0009_reasons")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="reruns",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="rerun_as",
                to="competition.submission",
            ),
        ),
        migrations.AddField(
            model_name="charge",
            name="granted",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="team",
            name="disqualified",
            field=models.CharField(
                blank=True, choices=[("struck", "Struck"), ("removed", "Removed")], default="", max_length=10
            ),
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=20)),
                ("reason", models.CharField(max_length=500)),
                ("at", models.DateTimeField()),
                (
                    "submission",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="decisions",
                        to="competition.submission",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="decisions",
                        to="competition.team",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Grant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("phase", models.CharField(max_length=40)),
                ("places", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="grants", to="competition.team"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="MovedDate",
            fields=[
                ("phase", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("closes", models.DateTimeField()),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Announcement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField(max_length=2000)),
                ("at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AlterField(
            model_name="appeal",
            name="state",
            field=models.CharField(
                choices=[
                    ("open", "Open"),
                    ("stands", "Stands"),
                    ("rerun", "Rerun"),
                    ("place", "Place"),
                    ("void", "Void"),
                ],
                default="open",
                max_length=10,
            ),
        ),
    ]
