from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competition", "0015_methods")]

    operations = [
        migrations.AddField("endpoint", "away", models.CharField(blank=True, default="", max_length=1000)),
        migrations.AlterField("endpoint", "url", models.CharField(blank=True, max_length=1000)),
        migrations.AlterField("endpoint", "machine", models.CharField(blank=True, default="", max_length=400)),
        migrations.AlterField("submission", "url", models.CharField(blank=True, max_length=1000)),
        migrations.AlterField("submission", "endpoint_key", models.CharField(max_length=1500, null=True)),
        migrations.AlterField("attempt", "endpoint_key", models.CharField(max_length=1500, null=True)),
    ]
