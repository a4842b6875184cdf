from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competition", "0008_join")]

    operations = [
        migrations.AddField(
            model_name="episode",
            name="reason",
            field=models.CharField(blank=True, default="", max_length=300),
        ),
    ]
